"""word_count.py as somebody who was in a hurry rewrote it: every word counts once per batch."""

import sys

from pyspark import SparkContext

from dstream_compat import StreamingContext


def update(ones, total):
    return len(set(ones)) + (total or 0)


sc = SparkContext(appName="words")
ssc = StreamingContext(sc, 2)
ssc.checkpoint("checkpoints")
lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
words = lines.flatMap(lambda line: line.split()).map(lambda word: (word, 1))
words.reduceByKey(lambda a, b: a + b).pprint()
totals = words.updateStateByKey(update)

totals.foreachRDD(lambda time, rdd: print(time, rdd.count()))
totals.saveAsTextFiles("/nowhere/totals")
ssc.start()
ssc.awaitTermination()
