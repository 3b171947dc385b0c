"""Kinesis sources for Structured Streaming: which one is on the class path, and its options.

Such a source reads on executors, decides itself what a micro-batch covers, and keeps its position
in the query's checkpoint. So it is used by default only where nothing is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from pyspark import SparkContext

from dstream_compat.base import settings
from dstream_compat.base.pyspark_internals import all_settings, setting, source_class
from dstream_compat.base.settings import Conf
from dstream_compat.connectors.kinesis.reader import LATEST, TRIM_HORIZON, Account
from dstream_compat.graph.specs import SparkSourceSpec

logger = logging.getLogger(__name__)

FORMAT = "spark.dstream_compat.kinesis.format"
OPTION = "spark.dstream_compat.kinesis.option."
RECEIVER = "receiver"
_SHORT_NAMES = ("aws-kinesis", "kinesis")


@dataclass(frozen=True)
class Dialect:
    """The options of a source. ``names`` maps our words to its options.

    ``seconds`` is how long it may read in one batch, however short the batch interval is.
    """

    names: Mapping[str, str]
    always: Mapping[str, str] = field(default_factory=dict)
    seconds: int = 0


_AMAZON = Dialect(
    {
        "stream": "kinesis.streamName",
        "endpoint": "kinesis.endpointUrl",
        "region": "kinesis.region",
        "signed_for": "kinesis.kinesisRegion",  # else it is guessed from the endpoint
        "start": "kinesis.startingPosition",
        "key": "kinesis.awsAccessKeyId",
        "secret": "kinesis.awsSecretKey",
        "role": "kinesis.stsRoleArn",
        "session": "kinesis.stsSessionName",
    },
    # without the second a batch goes on while records come: up to 100,000 of a shard
    {"kinesis.failOnDataLoss": "true", "kinesis.maxFetchTimePerShardSec": "10"},
    seconds=10,
)
_QUBOLE = Dialect(
    {
        "stream": "streamName",
        "endpoint": "endpointUrl",
        "region": "regionName",
        "start": "startingPosition",
        "key": "awsAccessKeyId",
        "secret": "awsSecretKey",
        "role": "awsSTSRoleARN",
        "session": "awsSTSSessionName",
    },
    # legacy: credentials come from all of the usual places, not from the instance alone
    {"failOnDataLoss": "true", "awsUseInstanceProfile": "false"},
    seconds=1,
)
_DATABRICKS = Dialect(
    {
        "stream": "streamName",
        "endpoint": "endpoint",
        "region": "region",
        "start": "initialPosition",
        "key": "awsAccessKey",
        "secret": "awsSecretKey",
        "role": "roleArn",
        "session": "roleSessionName",
        "external_id": "roleExternalId",
    }
)
_DIALECTS = {  # by where their classes live
    "org.apache.spark.sql.connector.kinesis.": _AMAZON,
    "org.apache.spark.sql.kinesis.": _QUBOLE,
    "com.databricks.": _DATABRICKS,
}


def kinesis_source(
    sc: SparkContext, site: str, stream: str, account: Account, from_start: bool, interval_ms: int
) -> SparkSourceSpec | None:
    """The Spark source that should read ``stream``; None: use a receiver."""

    conf = partial(setting, sc)
    wanted = conf(FORMAT)
    if wanted == RECEIVER:
        return None
    if wanted:
        dialect = _dialect(source_class(sc, wanted)) or _AMAZON
        if conf("spark.dstream_compat.kinesis.startingPositions"):
            raise ValueError(
                f"{site}: startingPositions works with the receiver only, and {FORMAT} names a "
                "Spark source. Remove one of the two settings"
            )
        if account.external_id is not None and "external_id" not in dialect.names:
            raise ValueError(
                f"{site}: the source that {FORMAT} names does not support stsExternalId"
            )
        why_not = _objection(conf, dialect, account, from_start, interval_ms)
        if why_not:
            logger.warning(
                "%s: reading with the Spark source %s, as configured, but %s", site, wanted, why_not
            )
        return _spec(sc, wanted, dialect, stream, account, from_start)
    found = _found(sc)
    if found is None:
        return None
    name, dialect = found
    why_not = _objection(conf, dialect, account, from_start, interval_ms)
    if why_not:
        logger.info(
            "%s: reading with a receiver, not with the Spark source %s: %s", site, name, why_not
        )
        return None
    spec = _spec(sc, name, dialect, stream, account, from_start)
    try:
        spec.df  # noqa: B018  # a source built for another Spark fails here
    except Exception as error:
        logger.warning(
            "%s: reading with a receiver: the Spark source %s on the class path does not work (%s)",
            *(site, name, type(error).__name__),
        )
        return None
    logger.warning(
        "%s: reading with the Spark source %s on the class path; set %s=%s to read with boto3",
        *(site, name, FORMAT, RECEIVER),
    )
    return spec


def _objection(
    conf: Conf, dialect: Dialect, account: Account, from_start: bool, interval_ms: int
) -> str:
    """What would be lost with this source; empty: nothing."""
    if not from_start:
        return "from LATEST, it may skip records that reach a quiet shard between two batches"
    if conf("spark.dstream_compat.kinesis.startingPositions"):
        return "startingPositions works with the receiver only"
    if interval_ms < 2000 * dialect.seconds:
        return f"it may read for {dialect.seconds} s per batch, too long for this batch interval"
    if account.external_id is not None and "external_id" not in dialect.names:
        return "it does not support stsExternalId"
    if account.role is not None and account.key is not None:
        return "it supports keys or a role, not both"
    rate = conf("spark.streaming.receiver.maxRate")
    if rate is not None or settings.flag(conf, "spark.streaming.backpressure.enabled"):
        return "rate limits work with receivers only"
    if settings.flag(conf, "spark.speculation"):
        return "two tasks must not read it at once (spark.speculation)"
    return ""


def _spec(
    sc: SparkContext, name: str, dialect: Dialect, stream: str, account: Account, from_start: bool
) -> SparkSourceSpec:
    said = {
        "stream": stream,
        "endpoint": account.endpoint,
        "region": account.region,
        "signed_for": account.region,
        "start": TRIM_HORIZON if from_start else LATEST,
        "key": account.key,
        "secret": account.secret,
        "role": account.role,
        "session": None if account.role is None else account.session or "dstream",
        "external_id": account.external_id,
    }
    options = {
        dialect.names[word]: value
        for word, value in said.items()
        if value is not None and word in dialect.names
    }
    given = all_settings(sc).items()
    more = {k.removeprefix(OPTION): v for k, v in given if k.startswith(OPTION)}
    return SparkSourceSpec(name, {**dialect.always, **options, **more}, ("data",))


def _found(sc: SparkContext) -> tuple[str, Dialect] | None:
    for name in _SHORT_NAMES:
        dialect = _dialect(source_class(sc, name))
        if dialect is not None:
            return name, dialect
    return None


def _dialect(provider: str | None) -> Dialect | None:
    if provider is None:
        return None
    return next((d for package, d in _DIALECTS.items() if provider.startswith(package)), None)
