"""Counts words, leaves some out, appends every batch to a file, and continues after a crash:
recoverable_wordcount.py HOST PORT CHECKPOINT OUTPUT"""

import os
import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext


def get_excluded(sc):
    """The broadcast is not in the checkpoint, so it is created again after a restart."""
    if "excluded" not in globals():
        globals()["excluded"] = sc.broadcast(["a", "of", "the"])
    return globals()["excluded"]


def create_context(host, port, output):
    print("a new context")
    sc = SparkContext(appName="recoverable word count")
    ssc = StreamingContext(sc, 1)
    lines = ssc.socketTextStream(host, port)
    words = lines.flatMap(lambda line: line.split(" "))
    counts = words.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)

    def write(time, rdd):
        excluded = get_excluded(rdd.context)
        kept = rdd.filter(lambda pair: pair[0] not in excluded.value).collect()
        with open(output, "a") as file:
            file.write("%s %s\n" % (time, sorted(kept)))

    counts.foreachRDD(write)
    return ssc


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: recoverable_wordcount.py HOST PORT CHECKPOINT OUTPUT")
    host, port, checkpoint, output = sys.argv[1:]
    if os.path.exists(output):
        print("going on with " + output)
    ssc = StreamingContext.getOrCreate(checkpoint, lambda: create_context(host, int(port), output))
    ssc.start()
    ssc.awaitTermination()
