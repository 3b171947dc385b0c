"""A job to be killed: stores numbers as fast as they are safe, writes one file per batch.

    numbered_records.py CHECKPOINT OUTPUT CONTROL

Every batch has two outputs: one notes it as ``seen``, one writes its file to OUTPUT. CONTROL holds
what the job tells (``setups``, ``started``, ``tried``, ``stored``, ``seen``, ``paused``) and what
it is told (``pause`` between the two outputs of a batch, ``finish``).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark import RDD, SparkConf, SparkContext

from dstream_compat import Receiver, StreamingContext

CHECKPOINT, OUTPUT, CONTROL = sys.argv[1:4]
INTERVAL = 1


def note(name: str, text: object) -> None:
    """Add a line to a file of CONTROL, so that it outlives this process."""
    with open(os.path.join(CONTROL, name), "a") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())


class Numbers(Receiver):
    """Stores 0, 1, 2 …, after a restart from the one after the last attempt."""

    def onStart(self) -> None:
        threading.Thread(target=self.receive, daemon=True).start()

    def onStop(self) -> None:
        pass

    def receive(self) -> None:
        tried = Path(CONTROL) / "tried"
        number = len(tried.read_text().splitlines()) if tried.exists() else 0
        pause = threading.Event()
        while not self.isStopped():
            note("tried", number)
            self.storeAll([number])
            if self.isStopped():  # what is stored then is ignored
                return
            note("stored", number)
            number += 1
            pause.wait(0.02)


def see(time: datetime, rdd: RDD[int]) -> None:
    note("seen", json.dumps([milliseconds(time), rdd.collect()]))


def write(time: datetime, rdd: RDD[int]) -> None:
    numbers = rdd.collect()
    if numbers and os.path.exists(os.path.join(CONTROL, "pause")):
        note("paused", milliseconds(time))
        threading.Event().wait()  # until killed
    path = os.path.join(OUTPUT, f"{milliseconds(time)}.json")
    with open(path + ".tmp", "w") as file:
        json.dump(numbers, file)
    os.replace(path + ".tmp", path)


def milliseconds(time: datetime) -> int:
    return round(time.timestamp() * 1000)


def set_up() -> StreamingContext:
    note("setups", os.getpid())
    conf = SparkConf().setMaster("local[2]").setAppName("numbers").set("spark.ui.enabled", "false")
    ssc = StreamingContext(SparkContext(conf=conf), INTERVAL)
    numbers = ssc.receiverStream(Numbers())
    shuffled = numbers.map(lambda n: (n % 3, n)).groupByKey(2).flatMap(lambda kv: list(kv[1]))
    shuffled.foreachRDD(see)
    shuffled.foreachRDD(write)
    return ssc


def main() -> None:
    ssc: Any = StreamingContext.getOrCreate(CHECKPOINT, set_up)
    ssc.start()
    note("started", os.getpid())
    while not ssc.awaitTerminationOrTimeout(0.1):
        if os.path.exists(os.path.join(CONTROL, "finish")):
            ssc.stop(stopSparkContext=True, stopGraceFully=True)


if __name__ == "__main__":
    main()
