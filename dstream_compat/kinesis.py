"""``pyspark.streaming.kinesis``: Kinesis streams, on boto3 (extra ``kinesis``)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark import StorageLevel
from pyspark.sql import SparkSession

from dstream_compat.dstream import DStream
from dstream_compat.graph import call_site
from dstream_compat.kafka.messages import utf8_decoder
from dstream_compat.sources.kinesis import Account, KinesisReceiver, lease_table

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

__all__ = ["InitialPositionInStream", "KinesisUtils", "utf8_decoder"]

_FORMAT = "spark.dstream_compat.kinesis.format"
_STARTING = "spark.dstream_compat.kinesis.startingPositions"


class InitialPositionInStream:
    """Where a stream begins of which nothing was read yet."""

    LATEST, TRIM_HORIZON = (0, 1)


class KinesisUtils:
    """Makes streams of Kinesis streams."""

    @staticmethod
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

        Sequence numbers are kept with the job's checkpoint, not in DynamoDB; ``kinesisAppName`` is
        the table of the old job's leases, which is read where a setting says so.
        """
        site = call_site("createStream")
        positions = (InitialPositionInStream.LATEST, InitialPositionInStream.TRIM_HORIZON)
        if initialPositionInStream not in positions:
            raise ValueError(f"{site}: initialPositionInStream should be LATEST or TRIM_HORIZON")
        from_start = initialPositionInStream == InitialPositionInStream.TRIM_HORIZON
        conf = ssc._sc._conf
        native = conf.get(_FORMAT, None)
        if native:
            options = {
                "kinesis.streamName": streamName,
                "kinesis.region": regionName,
                "kinesis.endpointUrl": endpointUrl,
                "kinesis.startingPosition": "TRIM_HORIZON" if from_start else "LATEST",
            }
            df = SparkSession(ssc._sc).readStream.format(native).options(**options).load()
            rows = ssc.dataFrameStream(df.select("data"))
            return rows.map(lambda row: decoder(None if row.data is None else bytes(row.data)))
        account = Account(
            endpointUrl,
            regionName,
            awsAccessKeyId,
            awsSecretKey,
            stsAssumeRoleArn,
            stsSessionName,
            stsExternalId,
        )
        account.check(site)
        start = _starting(conf.get(_STARTING, None), account, kinesisAppName, site)
        receiver = KinesisReceiver(account, streamName, from_start, start)
        return ssc.receiverStream(receiver).map(lambda record: decoder(record[2]))


def _starting(setting: str | None, account: Account, table: str, site: str) -> dict[str, str]:
    """The sequence numbers to begin behind, by shard: from a file or the old job's lease table."""
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
        raise ValueError(f"{site}: {_STARTING} cannot be read: {error}") from None
