"""``pyspark.streaming.kinesis``: Kinesis streams, read by a Spark source or by boto3."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel

from dstream_compat.base.pyspark_internals import setting
from dstream_compat.connectors.kinesis.reader import Account, KinesisReceiver, lease_table
from dstream_compat.connectors.kinesis.spark_sources import kinesis_source
from dstream_compat.dstream import DStream
from dstream_compat.graph.nodes import call_site
from dstream_compat.stages.kafka_messages import utf8_decoder

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

__all__ = ["InitialPositionInStream", "KinesisUtils", "MetricsLevel", "utf8_decoder"]

_STARTING = "spark.dstream_compat.kinesis.startingPositions"


class InitialPositionInStream:
    """Where a stream begins if nothing has been read yet."""

    LATEST, TRIM_HORIZON = (0, 1)


class MetricsLevel:
    """How much the old client library reported to CloudWatch. Accepted and ignored."""

    DETAILED, SUMMARY, NONE = (0, 1, 2)


def of_any_spark(create: Callable[..., DStream[Any]]) -> Callable[..., DStream[Any]]:
    """Also accept Spark 3's ``metricsLevel``, by name or as the eighth argument.

    legacy: Spark 3 put it in front of ``storageLevel``, which is eighth in Spark 2.4.
    """

    @functools.wraps(create)
    def created(*arguments: Any, **named: Any) -> DStream[Any]:
        named.pop("metricsLevel", None)
        if len(arguments) > 7 and isinstance(arguments[7], int):
            arguments = arguments[:7] + arguments[8:]
        return create(*arguments, **named)

    return created


class KinesisUtils:
    """Makes streams of Kinesis streams."""

    @staticmethod
    @of_any_spark
    def createStream(
        ssc: StreamingContext,
        kinesisAppName: str,
        streamName: str,
        endpointUrl: str,
        regionName: str,
        initialPositionInStream: int,
        checkpointInterval: float,
        storageLevel: StorageLevel = StorageLevel.MEMORY_AND_DISK_2,
        awsAccessKeyId: str | None = None,
        awsSecretKey: str | None = None,
        decoder: Callable[[Any], Any] = utf8_decoder,
        stsAssumeRoleArn: str | None = None,
        stsSessionName: str | None = None,
        stsExternalId: str | None = None,
    ) -> DStream[Any]:
        """The records of a stream, decoded.

        Sequence numbers are kept in the job's checkpoint, not in DynamoDB. ``kinesisAppName`` names
        the old job's lease table, which is read only if a setting says so.
        """
        site = call_site("createStream")
        positions = (InitialPositionInStream.LATEST, InitialPositionInStream.TRIM_HORIZON)
        if initialPositionInStream not in positions:
            raise ValueError(f"{site}: initialPositionInStream should be LATEST or TRIM_HORIZON")
        from_start = initialPositionInStream == InitialPositionInStream.TRIM_HORIZON
        account = Account(
            endpointUrl,
            regionName,
            awsAccessKeyId,
            awsSecretKey,
            stsAssumeRoleArn,
            stsSessionName,
            stsExternalId,
        )
        spec = kinesis_source(ssc._sc, site, streamName, account, from_start, ssc._interval_ms)
        if spec is not None:
            rows = ssc._input("createStream", spec)
            return rows.map(lambda row: decoder(None if row.data is None else bytes(row.data)))
        account.check(site)
        start = _starting(setting(ssc._sc, _STARTING), account, kinesisAppName, site)
        receiver = KinesisReceiver(account, streamName, from_start, start)
        return ssc.receiverStream(receiver).map(lambda record: decoder(record[2]))


def _starting(setting: str | None, account: Account, table: str, site: str) -> dict[str, str]:
    """The sequence numbers to begin after, by shard: from a file or the old job's lease table."""
    if not setting:
        return {}
    if setting == "dynamodb":
        return lease_table(account, table, site)
    try:
        with open(setting, encoding="utf-8") as file:
            content = json.load(file)
        if not isinstance(content, dict):
            raise ValueError('it should look like {"shardId-000000000000": "4957…"}')
        return {str(shard): str(number) for shard, number in content.items()}
    except (OSError, ValueError) as error:
        raise ValueError(f"{site}: cannot read the file of {_STARTING}: {error}") from None
