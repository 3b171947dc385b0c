"""Counts the words of some prepared batches and ends: queue_wordcount.py [BATCH ...]"""

import sys
import threading

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

VERSES = [
    "twinkle twinkle little star",
    "how I wonder what you are",
    "",
    "up above the world so high",
    "like a diamond in the sky",
]


def count_words(lines):
    return (
        lines.flatMap(lambda line: line.split())
        .map(lambda word: (word.lower(), 1))
        .reduceByKey(lambda a, b: a + b)
    )


def main():
    batches = [[line] for line in sys.argv[1:] or VERSES]
    sc = SparkContext(appName="queue word count")
    ssc = StreamingContext(sc, 1)
    count_words(ssc.queueStream(batches)).pprint()

    left = list(batches)
    over = threading.Event()

    def count_down(rdd):
        if left:
            left.pop()
        if not left:
            over.set()

    ssc.queueStream(batches).foreachRDD(count_down)
    ssc.start()
    while not over.is_set() and not ssc.awaitTerminationOrTimeout(1):
        pass
    ssc.stop(stopSparkContext=True, stopGraceFully=False)


if __name__ == "__main__":
    main()
