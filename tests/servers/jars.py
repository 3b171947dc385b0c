"""Which jars the tests need: Spark's Kafka connector, a broker, a ZooKeeper."""

from __future__ import annotations

import sys

import pyspark

from tests.servers.maven import NotResolved, cached, resolve

KAFKA = "3.9.2"  # the line of the kafka-clients that the connector brings along
ZOOKEEPER = "3.9.5"
_SCALA = "2.13"
_PROVIDER = f"org.apache.spark:spark-token-provider-kafka-0-10_{_SCALA}"
# A release may be on PyPI before its connector is on Maven Central: then the newest one that fits.
_INSTEAD = ("4.2.0", "4.0.0")


# What Spark has already.
_PRESENT = (
    "org.apache.hadoop:*",
    "org.scala-lang:*",
    "org.slf4j:*",
    "org.xerial.snappy:*",
    "org.lz4:*",
    "at.yawk.lz4:*",
    "com.google.code.findbugs:*",
    f"org.apache.spark:spark-tags_{_SCALA}",
)


def connector() -> list[str]:
    """The jars of Spark's Kafka connector for the installed Spark, or the nearest there is."""
    version = pyspark.__version__
    name = f"connector-{version}"
    if found := cached(name):
        return found
    try:
        return resolve(name, [_connector(version)], without=_PRESENT)
    except NotResolved as error:
        newest, provider = _INSTEAD
        instead = [_connector(newest), f"{_PROVIDER}:{provider}"]
        try:
            return resolve(name, instead, without=[*_PRESENT, _PROVIDER])
        except NotResolved:
            raise error from None


def broker() -> list[str]:
    return resolve(f"kafka-{KAFKA}", [f"org.apache.kafka:kafka_{_SCALA}:{KAFKA}"])


def zookeeper() -> list[str]:
    return resolve(f"zookeeper-{ZOOKEEPER}", [f"org.apache.zookeeper:zookeeper:{ZOOKEEPER}"])


def _connector(version: str) -> str:
    return f"org.apache.spark:spark-sql-kafka-0-10_{_SCALA}:{version}"


if __name__ == "__main__":
    for wanted in (connector, broker, zookeeper):
        try:
            print(f"{wanted.__name__}: {len(wanted())} jars")
        except NotResolved as reason:
            print(f"{wanted.__name__}: {reason}", file=sys.stderr)
            sys.exit(1)
