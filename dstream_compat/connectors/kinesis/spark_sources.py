"""Kinesis sources for Structured Streaming: which one is on the class path, and how it is asked.

Such a source reads on executors. It decides for itself what a micro-batch covers and keeps its
place in the query's own checkpoint. So it is taken unasked only where nothing is lost by it.
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
    """How a source wants to be asked. ``names`` are its words for ours.

    ``seconds`` is how long it may read in a batch, however short the batch interval.
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
    """The source of Spark's to read ``stream`` with; None: a receiver is to read it."""

    conf = partial(setting, sc)
    wanted = conf(FORMAT)
    if wanted == RECEIVER:
        return None
    if wanted:
        dialect = _dialect(source_class(sc, wanted)) or _AMAZON
        if conf("spark.dstream_compat.kinesis.startingPositions"):
            raise ValueError(
                f"{site}: startingPositions are for the receiver, and {FORMAT} names a source of "
                f"Spark's. Remove one of the two settings"
            )
        if account.external_id is not None and "external_id" not in dialect.names:
            raise ValueError(f"{site}: the source that {FORMAT} names takes no stsExternalId")
        why_not = _objection(conf, dialect, account, from_start, interval_ms)
        if why_not:
            logger.warning("%s: read by Spark's source %s, as asked, but %s", site, wanted, why_not)
        return _spec(sc, wanted, dialect, stream, account, from_start)
    found = _found(sc)
    if found is None:
        return None
    name, dialect = found
    why_not = _objection(conf, dialect, account, from_start, interval_ms)
    if why_not:
        logger.info("%s: read by a receiver, not by Spark's source %s: %s", site, name, why_not)
        return None
    spec = _spec(sc, name, dialect, stream, account, from_start)
    try:
        spec.df  # noqa: B018  # made for another Spark, it fails here
    except Exception as error:
        logger.warning(
            "%s: read by a receiver: Spark's source %s is on the class path and does not work (%s)",
            *(site, name, type(error).__name__),
        )
        return None
    logger.warning(
        "%s: read by Spark's source %s, which is on the class path; %s=%s has boto3 read it",
        *(site, name, FORMAT, RECEIVER),
    )
    return spec


def _objection(
    conf: Conf, dialect: Dialect, account: Account, from_start: bool, interval_ms: int
) -> str:
    """What would be lost if the source were taken; empty: nothing."""
    if not from_start:
        return "from LATEST, it may leave out what comes to a quiet shard between two batches"
    if conf("spark.dstream_compat.kinesis.startingPositions"):
        return "startingPositions are for the receiver"
    if interval_ms < 2000 * dialect.seconds:
        return f"it may read for {dialect.seconds} s in a batch, too long for this batch interval"
    if account.external_id is not None and "external_id" not in dialect.names:
        return "it takes no stsExternalId"
    if account.role is not None and account.key is not None:
        return "it takes keys or a role, not both"
    rate = conf("spark.streaming.receiver.maxRate")
    if rate is not None or settings.flag(conf, "spark.streaming.backpressure.enabled"):
        return "limits of the rate are for receivers"
    if settings.flag(conf, "spark.speculation"):
        return "it must not be read by two tasks at once (spark.speculation)"
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
