"""A Kafka stream that is given ZooKeeper only.

## Why

`KafkaUtils.createStream` asked ZooKeeper for the brokers. Today's Kafka clients talk to the brokers
themselves, and new Kafka versions have no ZooKeeper at all. The `zkQuorum` argument is accepted and
not used.

## What to do

Say where the brokers are, in one of three ways: `kafkaParams={"metadata.broker.list": "host:9092"}`
in the call, the environment variable `DSTREAM_KAFKA_BROKERS`, or the Spark setting
`spark.dstream_compat.kafka.brokers`. With `--unsafe-fixes`, `migrate rewrite` adds the parameter to
the call, with a host for you to fill in; the finding stays until you do. What the call names
overrides the environment and the setting, even while it is still to be filled in.

If the parameters come from elsewhere and cannot be seen, check whether they name the brokers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._dicts import KnownDict, known_dict
from migrator.rules._examples import KAFKA
from migrator.rules._literals import text
from migrator.text.source import Edit, PythonSource, Span

RULE = Rule(
    "DS203",
    "kafka-brokers-unknown",
    "A Kafka stream names ZooKeeper but no broker",
    Severity.ERROR,
    Readiness.DECIDE,
    message="KafkaUtils.{method} names no Kafka broker",
    help="pass metadata.broker.list in kafkaParams, or set DSTREAM_KAFKA_BROKERS or "
    "spark.dstream_compat.kafka.brokers",
    fix=Safety.UNSAFE,
)

BROKERS = frozenset({"metadata.broker.list", "bootstrap.servers"})
PLACEHOLDER = "FILL-IN-THE-BROKER:9092"

VALID = [
    KAFKA
    + """\
params = {"metadata.broker.list": brokers}
KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1}, params).pprint()
""",
    KAFKA
    + 'KafkaUtils.createDirectStream(ssc, ["events"], {"bootstrap.servers": brokers}).pprint()\n',
]
INVALID = [
    Example(
        KAFKA + 'KafkaUtils.createStream(ssc, zookeeper, "group", {"events": 1}).pprint()\n',
        lines=(4,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.UTILS, "createStream", "createDirectStream", "createRDD"):
        if call.owner != "KafkaUtils" or call.arguments is None:
            continue
        params = call.given("kafkaParams")
        known = KnownDict(complete=True) if params is None else known_dict(module.source, params)
        if any(text(value) == PLACEHOLDER for _, _, value in known.items):
            yield RULE.at(
                module,
                call,
                message="the brokers of KafkaUtils.{method} are still to be filled in",
                help="write the brokers' addresses into kafkaParams; they override any setting",
            )
        elif known.complete and not known.keys & BROKERS:
            yield RULE.at(module, call, fix=_fix(module.source, call, known.literal))
        elif call.method == "createStream" and not known.keys & BROKERS:
            # The other methods have never worked without brokers.
            yield RULE.at(
                module,
                call,
                message="the parameters of KafkaUtils.createStream cannot be seen; they may name "
                "no Kafka broker",
                help="check them; if they name none, add metadata.broker.list, or set "
                "DSTREAM_KAFKA_BROKERS or spark.dstream_compat.kafka.brokers",
                severity=Severity.WARNING,
                confidence=Confidence.LIKELY,
            )


def _fix(source: PythonSource, call: Call, literal: ast.Dict | None) -> Fix | None:
    entry = f'"metadata.broker.list": "{PLACEHOLDER}"'
    if literal is not None:
        at = source.span(literal).start + 1
        return Fix((Edit(Span(at, at), entry + (", " if literal.keys else "")),), Safety.UNSAFE)
    none = call.argument("kafkaParams")
    if none is not None:
        return Fix((Edit(source.span(none), f"{{{entry}}}"),), Safety.UNSAFE)
    arguments = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
    if not arguments:
        return None
    at = source.span(arguments[-1]).end
    return Fix((Edit(Span(at, at), f", kafkaParams={{{entry}}}"),), Safety.UNSAFE)
