"""Counts the words that a server sends, batch by batch: network_wordcount.py HOST PORT"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: network_wordcount.py HOST PORT")
    sc = SparkContext(appName="network word count")
    ssc = StreamingContext(sc, 1)
    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    counts = (
        lines.flatMap(lambda line: line.split(" "))
        .map(lambda word: (word, 1))
        .reduceByKey(lambda a, b: a + b)
    )
    counts.pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
