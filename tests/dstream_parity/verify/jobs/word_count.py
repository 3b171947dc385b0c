"""A stateful word count over a socket, its address from the command line."""

import sys

from pyspark import SparkConf, SparkContext
from pyspark.streaming import StreamingContext


def update(ones, total):
    return sum(ones) + (total or 0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: word_count.py HOST PORT")
        sys.exit(-1)
    conf = SparkConf().setMaster("spark://nowhere:7077").setAppName("words")
    sc = SparkContext(conf=conf)
    ssc = StreamingContext(sc, 2)
    ssc.checkpoint("hdfs://nowhere/checkpoints")
    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    words = lines.flatMap(lambda line: line.split()).map(lambda word: (word, 1))
    words.reduceByKey(lambda a, b: a + b).pprint()
    totals = words.updateStateByKey(update)
    totals.foreachRDD(lambda time, rdd: print(time, rdd.count()))
    totals.saveAsTextFiles("/nowhere/totals")
    ssc.start()
    ssc.awaitTermination()
    sc.stop()
