"""A source that needs another package.

## Why

Kinesis and MQTT are read with `boto3` and `paho-mqtt`, which are not installed with
`dstream_compat` alone. They differ from the old receivers: Kinesis is read without Amazon's client
library and its leases, and while a job with a checkpoint directory is down, an MQTT broker keeps
messages for it.

## What to do

Install the extra where the driver runs: `dstream-migrate[spark,kinesis]` or
`dstream-migrate[spark,mqtt]`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._notes import calls

RULE = Rule(
    "DS207",
    "needs-an-extra",
    "A source that needs another package",
    Severity.INFO,
    Readiness.READY,
    message="{owner} needs a package that is not installed with dstream_compat",
    help="install the extra {extra} where the driver runs",
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
        for call in project.first(module, calls(Kind.UTILS, owners=(owner,))):
            yield RULE.at(module, call, extra=extra)
