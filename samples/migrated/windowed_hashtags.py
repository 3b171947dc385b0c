"""Ranks the hashtags of the last half minute, every ten seconds: windowed_hashtags.py HOST PORT"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext


def show_trends(time, rdd):
    print("---- %s" % time)
    for tag, count in rdd.take(5):
        print("%4d %s" % (count, tag))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: windowed_hashtags.py HOST PORT")

    sc = SparkContext(appName="hashtags")
    ssc = StreamingContext(sc, 5)
    ssc.checkpoint("checkpoint")  # a window with an inverse function needs one

    tweets = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    tags = tweets.flatMap(lambda text: text.split(" ")).filter(lambda word: word.startswith("#"))
    counts = tags.map(lambda tag: (tag.lower(), 1)).reduceByKeyAndWindow(
        lambda a, b: a + b, lambda a, b: a - b, 30, 10
    )
    trends = counts.filter(lambda pair: pair[1] > 0).transform(
        lambda rdd: rdd.sortBy(lambda pair: (-pair[1], pair[0]))
    )
    trends.foreachRDD(show_trends)

    ssc.start()
    ssc.awaitTermination()
