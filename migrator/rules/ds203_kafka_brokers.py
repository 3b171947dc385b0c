"""A Kafka stream that knows ZooKeeper only.

## Why

`KafkaUtils.createStream` asked ZooKeeper for the brokers. Kafka clients of today talk to the
brokers themselves, and new Kafka versions have no ZooKeeper at all. The `zkQuorum` argument is
accepted and not used.

## What to do

Say where the brokers are, in one of three ways: `kafkaParams={"metadata.broker.list":
"host:9092"}` in the call, the environment variable `DSTREAM_KAFKA_BROKERS`, or the Spark setting
`spark.dstream_compat.kafka.brokers`. With `--unsafe-fixes`, `migrate rewrite` puts the parameter
into the call with a host to be filled in; this finding stays until it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import given, method_of, text
from migrator.source import Edit, Source, Span

RULE = Rule(
    "DS203",
    "kafka-brokers-unknown",
    "A Kafka stream names ZooKeeper and no broker",
    Severity.ERROR,
    Readiness.DECIDE,
    Safety.UNSAFE,
)

BROKERS = frozenset({"metadata.broker.list", "bootstrap.servers"})
PLACEHOLDER = "FILL-IN-THE-BROKER:9092"

_IMPORTS = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
"""

VALID = [
    _IMPORTS
    + """\
params = {"metadata.broker.list": brokers}
KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1}, params).pprint()
""",
    _IMPORTS
    + 'KafkaUtils.createDirectStream(ssc, ["events"], {"bootstrap.servers": brokers}).pprint()\n',
]
INVALID = [
    Example(
        _IMPORTS + 'KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1}).pprint()\n',
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.UTILS, "createStream", "createDirectStream", "createRDD"):
        if call.owner != "KafkaUtils" or call.arguments is None:
            continue
        params = given(call, "kafkaParams")
        keys = _keys(params)
        if keys is None or any(key in BROKERS for key in keys):
            if isinstance(params, ast.Dict) and any(text(v) == PLACEHOLDER for v in params.values):
                yield RULE.finding(
                    module.source,
                    method_of(module, call),
                    f"the brokers of KafkaUtils.{call.method} are still to be filled in",
                    "write the brokers' addresses into kafkaParams",
                    confidence=call.confidence,
                )
            continue
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"KafkaUtils.{call.method} names no Kafka broker",
            'give kafkaParams={"metadata.broker.list": …}, or set DSTREAM_KAFKA_BROKERS or '
            "spark.dstream_compat.kafka.brokers",
            fix=_fix(module.source, call, params),
            confidence=call.confidence,
        )


def _keys(params: ast.expr | None) -> list[str | None] | None:
    """The keys of the parameters; None where they cannot be seen, and may name brokers."""
    if params is None:
        return []
    if not isinstance(params, ast.Dict) or any(key is None for key in params.keys):
        return None
    keys = [text(key) for key in params.keys]
    return None if None in keys else keys


def _fix(source: Source, call: Call, params: ast.expr | None) -> Fix | None:
    entry = f'"metadata.broker.list": "{PLACEHOLDER}"'
    if isinstance(params, ast.Dict):
        at = source.span(params).start + 1
        return Fix((Edit(Span(at, at), entry + (", " if params.keys else "")),), Safety.UNSAFE)
    arguments = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
    if not arguments or "kafkaParams" in (call.arguments or {}):
        return None
    at = source.span(arguments[-1]).end
    return Fix((Edit(Span(at, at), f", kafkaParams={{{entry}}}"),), Safety.UNSAFE)
