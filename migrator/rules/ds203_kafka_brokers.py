"""A Kafka stream that knows ZooKeeper only.

## Why

`KafkaUtils.createStream` asked ZooKeeper for the brokers. Kafka clients of today talk to the
brokers themselves, and new Kafka versions have no ZooKeeper at all. The `zkQuorum` argument is
accepted and not used.

## What to do

Say where the brokers are, in one of three ways: `kafkaParams={"metadata.broker.list":
"host:9092"}` in the call, the environment variable `DSTREAM_KAFKA_BROKERS`, or the Spark setting
`spark.dstream_compat.kafka.brokers`. With `--unsafe-fixes`, `migrate rewrite` puts the parameter
into the call with a host to be filled in; this finding stays until it is. What the call names goes
before the environment and the setting, also while it is still to be filled in.

Where the parameters come from elsewhere and cannot be seen, look whether they name the brokers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._dicts import Seen, seen
from migrator.rules._support import at_most, given, method_of, text
from migrator.text.source import Edit, PythonSource, Span

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
        known = Seen(complete=True) if params is None else seen(module.source, params)
        if any(text(value) == PLACEHOLDER for _, _, value in known.items):
            yield RULE.finding(
                module.source,
                method_of(module, call),
                f"the brokers of KafkaUtils.{call.method} are still to be filled in",
                "write the brokers' addresses into kafkaParams; they go before any setting",
                confidence=call.confidence,
            )
        elif known.complete and not known.keys & BROKERS:
            yield RULE.finding(
                module.source,
                method_of(module, call),
                f"KafkaUtils.{call.method} names no Kafka broker",
                'give kafkaParams={"metadata.broker.list": …}, or set DSTREAM_KAFKA_BROKERS or '
                "spark.dstream_compat.kafka.brokers",
                fix=_fix(module.source, call, known.literal),
                confidence=call.confidence,
            )
        elif call.method == "createStream" and not known.keys & BROKERS:
            # The other methods have never worked without brokers.
            yield RULE.finding(
                module.source,
                method_of(module, call),
                "whether the parameters of KafkaUtils.createStream name a Kafka broker is not seen",
                "look whether they do; if not, add metadata.broker.list, or set "
                "DSTREAM_KAFKA_BROKERS or spark.dstream_compat.kafka.brokers",
                severity=Severity.WARNING,
                confidence=at_most(call.confidence, Confidence.LIKELY),
            )


def _fix(source: PythonSource, call: Call, literal: ast.Dict | None) -> Fix | None:
    entry = f'"metadata.broker.list": "{PLACEHOLDER}"'
    if literal is not None:
        at = source.span(literal).start + 1
        return Fix((Edit(Span(at, at), entry + (", " if literal.keys else "")),), Safety.UNSAFE)
    none = (call.arguments or {}).get("kafkaParams")
    if none is not None:
        return Fix((Edit(source.span(none), f"{{{entry}}}"),), Safety.UNSAFE)
    arguments = [*call.node.args, *(keyword.value for keyword in call.node.keywords)]
    if not arguments:
        return None
    at = source.span(arguments[-1]).end
    return Fix((Edit(Span(at, at), f", kafkaParams={{{entry}}}"),), Safety.UNSAFE)
