"""A job to be killed at any moment: a window, updateStateByKey and mapWithState on received pairs.

    stateful_records.py CHECKPOINT OUTPUT CONTROL

Every output of every batch is a file of OUTPUT, ``<ms>-<name>.json``; written again it is the same.
CONTROL holds what the job tells (``started``, ``tried``, ``stored``) and what it is told
(``finish``).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark import RDD, SparkConf, SparkContext

from dstream_compat import Receiver, StateSpec, StreamingContext

INTERVAL = 1


def note(name: str, text: object) -> None:
    """Add a line to a file of CONTROL, so that it outlives this process."""
    with open(os.path.join(sys.argv[3], name), "a") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())


class Pairs(Receiver):
    """Stores (key, number) for 0, 1, 2 …, after a restart from the one after the last attempt."""

    def onStart(self) -> None:
        threading.Thread(target=self.receive, daemon=True).start()

    def onStop(self) -> None:
        pass

    def receive(self) -> None:
        tried = Path(sys.argv[3]) / "tried"
        number = len(tried.read_text().splitlines()) if tried.exists() else 0
        pause = threading.Event()
        while not self.isStopped():
            note("tried", number)
            self.storeAll([(f"key{number * number % 23}", number)])
            if self.isStopped():  # what is stored then is ignored
                return
            note("stored", number)
            number += 1
            pause.wait(0.02)


def total(new: list[int], state: int | None) -> int | None:
    """Keys whose sum can be divided by seven are dropped."""
    summed = sum(new) + (state or 0)
    return None if new and summed % 7 == 0 else summed


def visits(key: str, number: int | None, state: Any) -> tuple[Any, ...]:
    if state.isTimingOut():
        return key, "timed out", state.get()
    if number is not None and number % 11 == 0:
        if state.exists():
            state.remove()
        return key, "removed", number
    state.update([*state.getOption([])[-3:], number])
    return key, "seen", *state.get()


def streams(pairs: Any) -> dict[str, Any]:
    """What the job makes of its input, by name."""
    mapped = pairs.mapWithState(StateSpec.function(visits).timeout(2 * INTERVAL))
    mapped.checkpoint(4 * INTERVAL)
    return {
        "window": pairs.window(4 * INTERVAL, 2 * INTERVAL),
        "reduced": pairs.reduceByKeyAndWindow(
            lambda a, b: a + b, lambda a, b: a - b, 6 * INTERVAL, INTERVAL
        ),
        "totals": pairs.updateStateByKey(total),
        "visits": mapped,
        "sessions": mapped.stateSnapshots(),
    }


def writer(name: str) -> Callable[[datetime, RDD[Any]], None]:
    def write(time: datetime, rdd: RDD[Any]) -> None:
        path = os.path.join(sys.argv[2], f"{round(time.timestamp() * 1000)}-{name}.json")
        with open(path + ".tmp", "w") as file:
            json.dump(rdd.collect(), file)
        os.replace(path + ".tmp", path)

    return write


def set_up() -> StreamingContext:
    conf = SparkConf().setMaster("local[2]").setAppName("chaos").set("spark.ui.enabled", "false")
    ssc = StreamingContext(SparkContext(conf=conf), INTERVAL)
    pairs = ssc.receiverStream(Pairs())
    pairs.glom().foreachRDD(writer("input"))
    for name, stream in streams(pairs).items():
        stream.foreachRDD(writer(name))
    return ssc


def main() -> None:
    ssc: Any = StreamingContext.getOrCreate(sys.argv[1], set_up)
    ssc.start()
    note("started", os.getpid())
    while not ssc.awaitTerminationOrTimeout(0.1):
        if os.path.exists(os.path.join(sys.argv[3], "finish")):
            ssc.stop(stopSparkContext=True, stopGraceFully=True)


if __name__ == "__main__":
    main()
