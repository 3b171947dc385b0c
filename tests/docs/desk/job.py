"""Counts the lines that a server sends: job.py [--check]"""

import sys

from pyspark import SparkContext
from pyspark.streaming import StreamingContext


def main():
    sc = SparkContext(appName="words")
    ssc = StreamingContext(sc, 1)
    lines = ssc.socketTextStream("localhost", 9999)
    counts = lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)
    counts.pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(StreamingContext.__module__ != "dstream_compat.context")
    main()
