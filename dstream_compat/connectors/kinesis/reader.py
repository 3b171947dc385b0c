"""A receiver for Kinesis: every shard in order, children after their parents."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dstream_compat.connectors.kinesis.deaggregation import user_records
from dstream_compat.input.positions import PositionedReceiver, PositionedSource

logger = logging.getLogger(__name__)

SHARD_END = "SHARD_END"  # as the KCL writes it
TRIM_HORIZON = "TRIM_HORIZON"
LATEST = "LATEST"
_SINCE = "since-ms:"  # a position that is a time: LATEST, before anything was read
_PAUSE = 0.2  # seconds between reads of a shard: Kinesis allows five a second
_LOOK_AGAIN = 30.0  # seconds between checks for new shards
_MOST = 10_000

Round = tuple[str, list[str], list[bytes], bool]  # shard, numbers, data, whether it is over


@dataclass(frozen=True)
class Account:
    """Where Kinesis is, and the credentials. Saved with the checkpoint, keys included."""

    endpoint: str
    region: str
    key: str | None = None
    secret: str | None = None
    role: str | None = None
    session: str | None = None
    external_id: str | None = None

    def check(self, site: str) -> None:
        try:
            import boto3  # noqa: F401
        except ImportError:
            raise RuntimeError(
                f'{site}: Kinesis needs boto3 on the driver: pip install "dstream-migrate[kinesis]"'
            ) from None

    def client(self, service: str) -> Any:
        import boto3

        keys = {"aws_access_key_id": self.key, "aws_secret_access_key": self.secret}
        session = boto3.Session(region_name=self.region, **keys)
        if self.role is not None:
            asked = {"RoleArn": self.role, "RoleSessionName": self.session or "dstream"}
            if self.external_id is not None:
                asked["ExternalId"] = self.external_id
            given = session.client("sts").assume_role(**asked)["Credentials"]
            session = boto3.Session(
                given["AccessKeyId"],
                given["SecretAccessKey"],
                given["SessionToken"],
                region_name=self.region,
            )
        # DynamoDB has its own address, unless one server plays everything, as in tests
        local = "amazonaws." not in self.endpoint
        named = self.endpoint if service == "kinesis" or local else None
        return session.client(service, endpoint_url=named or None)


def lease_table(account: Account, table: str, site: str) -> dict[str, str]:
    """The sequence numbers that the old job's KCL wrote to DynamoDB, by shard."""
    try:
        pages = account.client("dynamodb").get_paginator("scan").paginate(TableName=table)
        found = {
            item["leaseKey"]["S"]: item["checkpoint"]["S"]
            for page in pages
            for item in page["Items"]
            if "checkpoint" in item
        }
    except Exception as error:  # botocore makes its classes at run time
        raise ValueError(
            f"{site}: cannot read the lease table of the old job ({type(error).__name__})"
        ) from None
    if not found:
        raise ValueError(f"{site}: the lease table of the old job is empty")
    return found


class KinesisReceiver(PositionedReceiver):
    """Stores (shard, sequence number, data); positions are the last numbers stored, by shard."""

    def __init__(
        self, account: Account, stream: str, from_start: bool, begin: dict[str, str]
    ) -> None:
        super().__init__()
        self._account = account
        self._stream = stream
        self._from_start = from_start
        self._begin = dict(begin)

    def onStart(self) -> None:
        threading.Thread(target=self._receive, name="kinesis", daemon=True).start()

    def onStop(self) -> None:
        pass  # the thread looks at isStopped()

    def reached(self, elements: list[Any]) -> dict[str, str]:
        return {shard: number for shard, number, _ in elements}

    def _receive(self) -> None:
        try:
            reader = _Reader(self._account.client("kinesis"), self._stream)
            first = not self.positions and not self._begin
            positions = {**self._begin, **self.positions}
            if first and not self._from_start:
                positions = reader.latest()
            elif self._begin and not self.positions:
                # the KCL deletes leases of finished shards before the shards themselves expire
                positions |= dict.fromkeys(reader.before(self._begin), SHARD_END)
            self._note(positions)
            self.positions = positions
            while not self.isStopped():
                for shard, numbers, data, ended in reader.round(positions):
                    if not self._stored(shard, numbers, data):
                        return
                    if ended:
                        self._note({shard: SHARD_END})
                        self.positions = {**self.positions, shard: SHARD_END}
                    positions = self.positions
                    if self.isStopped():
                        return
        except Exception as error:
            if not self.isStopped():
                # the text of the error may hold names and keys: keep it out of the log
                self.restart(f"Reading Kinesis failed ({type(error).__name__})", error)

    def _stored(self, shard: str, numbers: Sequence[str], data: Sequence[bytes]) -> bool:
        """Store what a shard gave; False if the job stopped before all was stored."""
        source = self._attached()
        stored = 0
        for block in source.paced(_whole_records(shard, numbers, data)):
            if not source.add_block(block):
                return False
            stored += len(block)
            self.positions = {**self.positions, shard: block[-1][1]}
        return stored == len(data)

    def _note(self, positions: dict[str, str]) -> None:
        source = self._attached()
        assert isinstance(source, PositionedSource)
        source.note(positions)


def _whole_records(
    shard: str, numbers: Sequence[str], data: Sequence[bytes]
) -> list[list[tuple[str, str, bytes]]]:
    """What was packed into one record stays together: it has one sequence number."""
    elements = zip(itertools.repeat(shard), numbers, data)
    return [list(group) for _, group in itertools.groupby(elements, lambda element: element[1])]


class _Reader:
    """Reads all shards of a stream in turn."""

    def __init__(self, client: Any, stream: str) -> None:
        self._client = client
        self._stream = stream
        self._shards: dict[str, list[str]] = {}  # shard → its parents
        self._iterators: dict[str, str] = {}
        self._looked = 0.0
        self._paused = threading.Event()

    def latest(self) -> dict[str, str]:
        """The positions of a stream that begins now: skip closed shards."""
        now = f"{_SINCE}{int(time.time() * 1000)}"
        found = {}
        for shard in self._list():
            closed = "EndingSequenceNumber" in shard["SequenceNumberRange"]
            found[shard["ShardId"]] = SHARD_END if closed else now
        return found

    def before(self, shards: Collection[str]) -> set[str]:
        """The ancestors of ``shards``, by splits and merges."""
        self._look()
        found: set[str] = set()
        waiting = list(shards)
        while waiting:
            for parent in self._shards.get(waiting.pop(), ()):
                if parent in self._shards and parent not in found and parent not in shards:
                    found.add(parent)
                    waiting.append(parent)
        return found

    def round(self, positions: dict[str, str]) -> Iterator[Round]:
        """Read once from each shard whose parents are finished."""
        if time.monotonic() - self._looked > _LOOK_AGAIN:
            self._look()
        began = time.monotonic()
        for shard in self._ready(positions):
            answer = self._records(shard, positions.get(shard))
            numbers: list[str] = []
            data: list[bytes] = []
            for record in answer["Records"]:
                for each in user_records(record["Data"]):
                    numbers.append(record["SequenceNumber"])
                    data.append(each)
            following = answer.get("NextShardIterator")
            self._iterators.pop(shard, None)
            if following is not None:
                self._iterators[shard] = following
            yield shard, numbers, data, following is None
            if following is None:
                self._look()  # its children are there now
        left = _PAUSE - (time.monotonic() - began)
        if left > 0:
            self._paused.wait(left)

    def _ready(self, positions: dict[str, str]) -> list[str]:
        """Unfinished shards whose parents are finished."""
        return [
            shard
            for shard, parents in sorted(self._shards.items())
            if positions.get(shard) != SHARD_END
            and all(positions.get(p) == SHARD_END for p in parents if p in self._shards)
        ]

    def _records(self, shard: str, position: str | None) -> Any:
        expired: Any = self._client.exceptions.ExpiredIteratorException
        for _ in range(2):
            if shard not in self._iterators:
                self._iterators[shard] = self._iterator(shard, position)
            try:
                return self._client.get_records(ShardIterator=self._iterators[shard], Limit=_MOST)
            except expired:
                del self._iterators[shard]
            except self._client.exceptions.ProvisionedThroughputExceededException:
                return {"Records": [], "NextShardIterator": self._iterators[shard]}
        return {"Records": [], "NextShardIterator": self._iterator(shard, position)}

    def _iterator(self, shard: str, position: str | None) -> str:
        how: dict[str, Any] = {"ShardIteratorType": TRIM_HORIZON}
        if position == LATEST:
            how = {"ShardIteratorType": LATEST}
        elif position is not None and position.startswith(_SINCE):
            since = int(position.removeprefix(_SINCE)) / 1000
            how = {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": since}
        elif position is not None and position != TRIM_HORIZON:
            how = {
                "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                "StartingSequenceNumber": position,
            }
        asked = self._client.get_shard_iterator(StreamName=self._stream, ShardId=shard, **how)
        iterator: str = asked["ShardIterator"]
        return iterator

    def _look(self) -> None:
        self._shards = {
            shard["ShardId"]: [
                shard[key] for key in ("ParentShardId", "AdjacentParentShardId") if shard.get(key)
            ]
            for shard in self._list()
        }
        self._looked = time.monotonic()

    def _list(self) -> list[Any]:
        answer = self._client.list_shards(StreamName=self._stream)
        shards = list(answer["Shards"])
        while answer.get("NextToken"):
            answer = self._client.list_shards(NextToken=answer["NextToken"])
            shards += answer["Shards"]
        return shards
