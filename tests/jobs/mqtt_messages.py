"""Receives MQTT messages into a directory; stands still at the first block.

Arguments: the broker's URL, topic, client id, directory, a file to write then, and whether that is
"before" or "after" the block is stored. Whoever started it kills it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from dstream_compat.input.blocks import DirectoryBlockStore
from dstream_compat.input.receiver_source import ReceiverSource
from dstream_compat.input.storage import LocalStorage
from dstream_compat.mqtt import MQTTReceiver, _parsed
from dstream_compat.stages.partitions import Partition

url, topic, client_id, folder, told, moment = sys.argv[1:]


class Struck(DirectoryBlockStore):
    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        if moment == "after":
            super().put(stream_id, chunks, records)
        Path(told).touch()
        threading.Event().wait()
        raise AssertionError


receiver = MQTTReceiver(_parsed(url, "here"), topic, client_id)
store = Struck(LocalStorage(folder))
ReceiverSource(receiver, 0, store=store, on_event=lambda event, fields: None).start(0)
threading.Event().wait()
