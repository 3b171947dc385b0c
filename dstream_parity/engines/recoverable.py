"""Input that the legacy engine can restore: files whose modification times are the batch times.

A queueStream cannot be restored from a checkpoint, but files can. Each tick of an input is one
file, and the engine reads it in the batch at the file's time.
"""

from __future__ import annotations

import base64
import os
import pickle
from typing import Any

from pyspark import RDD
from pyspark.streaming import StreamingContext

from dstream_parity.base.outcomes import Batches
from dstream_parity.engines.rdds import rdd_of


def file_inputs(
    ssc: StreamingContext, directory: str, batches: Batches, interval: float
) -> tuple[list[Any], Any]:
    """Streams of these batches, with their partitions, and one with a batch at every tick."""
    raw = []
    for number, column in enumerate(zip(*batches, strict=True)):
        folder = os.path.join(directory, str(number))
        os.makedirs(folder)
        for tick, partitions in enumerate(column):
            _write(os.path.join(folder, f"{tick:06}"), partitions, (tick + 1) * interval)
        raw.append(ssc.textFileStream(f"file://{folder}"))
    # cached, so that it is read once per batch and not once per consumer
    return [stream.transform(_read).cache() for stream in raw], raw[0]


def _write(path: str, partitions: list[list[Any]], seconds: float) -> None:
    with open(path, "wb") as file:
        file.write(base64.b64encode(pickle.dumps(partitions)))
    nanoseconds = round(seconds * 1_000_000_000)
    os.utime(path, ns=(nanoseconds, nanoseconds))


def _read(rdd: RDD[str]) -> RDD[Any]:
    partitions: list[Any] = []
    for line in rdd.collect():
        partitions.extend(pickle.loads(base64.b64decode(line)))
    return rdd_of(rdd.context, partitions)
