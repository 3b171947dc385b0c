"""moto's Kinesis, with shards that are over when they were split, as Amazon's are.

moto goes on writing to a shard that was split, moves its records to the children, and never says
that it was read to its end.
"""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from moto.kinesis.models import KinesisBackend, Stream
from moto.kinesis.utils import decompose_shard_iterator
from moto.server import ThreadedMotoServer


@contextmanager
def kinesis_server() -> Iterator[str]:
    """A Kinesis and a DynamoDB on loopback; gives their address."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with pytest.MonkeyPatch.context() as patched:
        _close_split_shards(patched)
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
        server.stop()


def _close_split_shards(patched: pytest.MonkeyPatch) -> None:
    split, get_records = Stream.split_shard, KinesisBackend.get_records

    def open_shard_for_key(self: Any, partition_key: str, explicit_hash_key: str) -> Any:
        key = int(hashlib.md5(partition_key.encode()).hexdigest(), 16)
        for shard in self.shards.values():
            if shard.is_open and shard.starting_hash <= key < shard.ending_hash:
                return shard
        raise AssertionError("no open shard has this key")

    def split_and_keep(self: Any, shard_to_split: str, new_starting_hash_key: str) -> None:
        shard = self.shards[shard_to_split]
        kept, shard.records = shard.records, OrderedDict()
        split(self, shard_to_split, new_starting_hash_key)
        shard.records = kept

    def get_records_to_the_end(self: Any, arn: Any, iterator: str, limit: Any) -> Any:
        following, records, behind = get_records(self, arn, iterator, limit)
        stream, number, _ = decompose_shard_iterator(iterator)
        shard: Any = self.describe_stream(stream_arn=arn, stream_name=stream).get_shard(number)
        last = int(decompose_shard_iterator(following)[2])
        over = not shard.is_open and all(each <= last for each in shard.records)
        return (None if over else following), records, behind

    patched.setattr(Stream, "get_shard_for_key", open_shard_for_key)
    patched.setattr(Stream, "split_shard", split_and_keep)
    patched.setattr(KinesisBackend, "get_records", get_records_to_the_end)
