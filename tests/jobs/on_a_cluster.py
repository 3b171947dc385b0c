"""A word count on executors that know nothing of this package, one of which is killed.

    on_a_cluster.py ROOT FOLDER

ROOT is where the package is; only the driver gets it. FOLDER receives ``result.json``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

ROOT, FOLDER = sys.argv[1:3]
sys.path.insert(0, ROOT)

from pyspark import SparkConf, SparkContext  # noqa: E402

from dstream_compat import Receiver, StreamingContext  # noqa: E402

BATCHES = 6
STRUCK = 3  # the batch whose executor is killed
LIMIT = 120.0


class Word:
    """A class of the script itself, which workers cannot import either."""

    def __init__(self, text: str) -> None:
        self.text = text


class Stored(Receiver):
    """Data on the driver's disk, which executors are not supposed to read."""

    def onStart(self) -> None:
        self.storeAll(["received", "lines"])

    def onStop(self) -> None:
        pass


def ancestors_of(pid: int) -> list[tuple[int, str]]:
    """The processes above ``pid``, nearest first, with their command lines."""
    found = []
    while pid > 1:
        with open(f"/proc/{pid}/status") as file:
            fields = dict(line.split(":\t", 1) for line in file if ":\t" in line)
        pid = int(fields["PPid"])
        if pid > 1:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                found.append((pid, file.read().decode()))
    return found


def kill_the_executor_of(pid: int) -> int:
    """Kill the executor that a Python worker belongs to; it must be one of our own descendants."""
    above = ancestors_of(pid)
    assert os.getpid() in [ancestor for ancestor, _ in above]
    executor = next(p for p, command in above if "CoarseGrainedExecutorBackend" in command)
    os.kill(executor, signal.SIGKILL)
    return executor


def main() -> None:
    conf = SparkConf().setMaster("local-cluster[2,1,1024]").setAppName("cluster")
    conf.set("spark.ui.enabled", "false").set("spark.executorEnv.PYTHONHASHSEED", "0")
    # executors are JVMs like those of the other tests
    conf.set("spark.executor.extraJavaOptions", os.environ.get("SPARK_SUBMIT_OPTS", ""))
    sc = SparkContext(conf=conf)
    sc.setLogLevel("OFF")

    def lacks_it(_: int) -> bool:
        try:
            import dstream_compat  # noqa: F401
        except ImportError:
            return True
        return False

    alone = sc.parallelize([0, 1], 2).map(lacks_it)
    result: dict[str, Any] = {"alone": alone.collect(), "counts": {}, "tagged": {}, "received": []}
    ssc = StreamingContext(sc, 1)
    lines = ssc.queueStream([sc.parallelize([f"a b{n}", "a c"], 2) for n in range(BATCHES)])
    tags = sc.broadcast({"a": "vowel"})
    late: dict[str, Any] = {"factor": sc.broadcast(1)}
    records = sc.accumulator(0)
    marker = os.path.join(FOLDER, "worker")
    finished = threading.Event()
    killed: list[int] = []

    def words(line: str) -> list[Word]:
        records.add(1)
        if line == f"a b{STRUCK}" and not os.path.exists(marker):
            with open(marker + ".tmp", "w") as file:
                file.write(str(os.getpid()))
            os.replace(marker + ".tmp", marker)
            threading.Event().wait()  # until killed
        return [Word(text) for text in line.split()]

    def strike() -> None:
        pause = threading.Event()
        while not os.path.exists(marker):
            pause.wait(0.05)
        with open(marker) as file:
            killed.append(kill_the_executor_of(int(file.read())))

    def see(time: Any, rdd: Any) -> None:
        number = len(result["counts"])
        result["counts"][number] = sorted(rdd.collect())
        late["factor"].destroy()
        late["factor"] = sc.broadcast(number + 2)
        if number + 1 >= BATCHES:
            finished.set()

    counts = (
        lines.flatMap(words)
        .map(lambda word: (word.text, late["factor"].value))
        .reduceByKey(lambda a, b: a + b, 3)
    )
    tagged = counts.transform(
        lambda rdd: rdd.map(lambda kv: (kv[0], tags.value.get(kv[0], "other"))).sortByKey()
    )
    tagged.foreachRDD(lambda rdd: result["tagged"].update({len(result["tagged"]): rdd.collect()}))
    ssc.receiverStream(Stored()).map(str.upper).foreachRDD(
        lambda rdd: result["received"].extend(rdd.collect())
    )
    counts.foreachRDD(see)

    ssc.start()
    threading.Thread(target=strike, daemon=True).start()
    result["finished"] = finished.wait(LIMIT)
    try:
        ssc.awaitTerminationOrTimeout(0)
        result["error"] = None
    except Exception as error:
        result["error"] = str(error)
    result["killed"] = killed
    result["records"] = records.value
    result["files"] = sc._jsc.sc().listFiles().size()
    ssc.stop()
    with open(os.path.join(FOLDER, "result.json"), "w") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
