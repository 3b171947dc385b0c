"""A source that needs another package.

## Why

Kinesis and MQTT are read with `boto3` and `paho-mqtt`, which are not installed with
`dstream_compat` alone. They do not do all that the old receivers did: Kinesis is read without
Amazon's client library and its leases, and an MQTT broker keeps messages for a job with a
checkpoint directory while it is away.

## What to do

Install the extra where the driver runs: `dstream-migrate[spark,kinesis]` or
`dstream-migrate[spark,mqtt]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import method_of, once

RULE = Rule(
    "DS207",
    "needs-an-extra",
    "A source that needs another package",
    Severity.INFO,
    Readiness.READY,
    differences=("D53", "D54"),
)

_EXTRAS = {"KinesisUtils": "kinesis", "MQTTUtils": "mqtt"}

VALID = [
    """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
KafkaUtils.createDirectStream(ssc, ["events"], params).pprint()
"""
]
INVALID = [
    Example(
        """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kinesis import KinesisUtils, InitialPositionInStream
ssc = StreamingContext(sc, 2)
stream = KinesisUtils.createStream(
    ssc, app, name, endpoint, region, InitialPositionInStream.LATEST, 2
)
stream.pprint()
""",
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for owner, extra in _EXTRAS.items():

        def calls(module: Module, owner: str = owner) -> Iterator[Call]:
            return (call for call in module.calls_of(Kind.UTILS) if call.owner == owner)

        for call in once(module, project, calls):
            yield RULE.finding(
                module.source,
                method_of(module, call),
                f"{owner} needs a package that dstream_compat does not bring along",
                f"install the extra {extra} where the driver runs",
                confidence=call.confidence,
            )
