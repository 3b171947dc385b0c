"""The happiest words of the last batches: words joined with their scores, sorted, top five printed:
sentiment_topn.py HOST PORT"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext

SCORES = """\
adore 3
awful -3
bad -2
fine 1
good 2
great 3
love 3
sad -2
superb 4
"""


def parse(line):
    word, score = line.split()
    return word, int(score)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: sentiment_topn.py HOST PORT")

    sc = SparkContext(appName="happiest words")
    ssc = StreamingContext(sc, 2)
    scores = sc.parallelize(SCORES.splitlines()).map(parse).cache()

    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    counts = (
        lines.flatMap(lambda line: line.lower().split(" "))
        .map(lambda word: (word, 1))
        .reduceByKeyAndWindow(lambda a, b: a + b, None, 6, 2)
    )
    happiness = (
        counts.transform(lambda rdd: scores.join(rdd))
        .map(lambda joined: (joined[1][0] * joined[1][1], joined[0]))
        .transform(lambda rdd: rdd.sortByKey(False))
    )

    def print_happiest(rdd):
        top = rdd.take(5)
        print("The happiest words of the last six seconds (%d in all):" % rdd.count())
        for total, word in top:
            print("%s (%d)" % (word, total))

    happiness.foreachRDD(print_happiest)

    ssc.start()
    ssc.awaitTermination()
