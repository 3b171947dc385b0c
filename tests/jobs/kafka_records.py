"""A job to be killed: counts the records of a topic, writes one file per batch.

    kafka_records.py BROKERS TOPIC CHECKPOINT OUTPUT CONTROL

OUTPUT gets a file per batch time: the records of the batch, its offsets, and the running counts.
CONTROL holds what the job tells (``setups``, ``started``, ``paused``) and what it is told
(``pause`` in the middle of a batch, ``finish``).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from datetime import datetime
from typing import Any

from pyspark import SparkConf, SparkContext

from dstream_compat import StreamingContext
from dstream_compat.kafka import KafkaUtils

BROKERS, TOPIC, CHECKPOINT, OUTPUT, CONTROL = sys.argv[1:6]


def note(name: str, text: object) -> None:
    with open(os.path.join(CONTROL, name), "a") as file:
        file.write(f"{text}\n")
        file.flush()
        os.fsync(file.fileno())


def write(time: datetime, rdd: Any) -> None:
    ms = round(time.timestamp() * 1000)
    content = {"values": rdd.map(lambda pair: pair[1]).collect()}
    content["offsets"] = [
        [each.partition, each.fromOffset, each.untilOffset] for each in rdd.offsetRanges()
    ]
    if content["values"] and os.path.exists(os.path.join(CONTROL, "pause")):
        note("paused", ms)
        threading.Event().wait()  # until killed
    save(f"{ms}.json", content)


def count(time: datetime, rdd: Any) -> None:
    save(f"{round(time.timestamp() * 1000)}.counts", dict(rdd.collect()))


def save(name: str, content: Any) -> None:
    path = os.path.join(OUTPUT, name)
    with open(path + ".tmp", "w") as file:
        json.dump(content, file)
    os.replace(path + ".tmp", path)


def set_up() -> StreamingContext:
    note("setups", os.getpid())
    conf = SparkConf().setMaster("local[2]").setAppName("records").set("spark.ui.enabled", "false")
    conf.set("spark.jars", os.environ["KAFKA_JARS"])
    ssc = StreamingContext(SparkContext(conf=conf), 1)
    params = {"metadata.broker.list": BROKERS, "auto.offset.reset": "smallest"}
    stream = KafkaUtils.createDirectStream(ssc, [TOPIC], params)
    totals = stream.map(lambda pair: (str(int(pair[1]) % 3), 1)).updateStateByKey(
        lambda new, old: sum(new) + (old or 0)
    )
    totals.foreachRDD(count)
    stream.foreachRDD(write)
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
