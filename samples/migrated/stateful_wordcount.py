"""Counts all words that a server has sent so far, starting from known counts:
stateful_wordcount.py HOST PORT [CHECKPOINT]"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext


def add_to_total(new_values, total):
    return sum(new_values) + (total or 0)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: stateful_wordcount.py HOST PORT [CHECKPOINT]")

    sc = SparkContext(appName="stateful word count")
    ssc = StreamingContext(sc, 1)
    ssc.checkpoint(sys.argv[3] if len(sys.argv) == 4 else "checkpoint")

    known = sc.parallelize([("hello", 1), ("world", 1)])
    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    totals = (
        lines.flatMap(lambda line: line.split(" "))
        .map(lambda word: (word, 1))
        .updateStateByKey(add_to_total, initialRDD=known)
    )
    totals.pprint()

    ssc.start()
    ssc.awaitTermination()
