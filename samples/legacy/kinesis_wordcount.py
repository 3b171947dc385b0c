"""Counts the words of a Kinesis stream: kinesis_wordcount.py APP STREAM ENDPOINT REGION"""

import sys

from pyspark import SparkContext
from pyspark.streaming import StreamingContext
from pyspark.streaming.kinesis import InitialPositionInStream, KinesisUtils


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: kinesis_wordcount.py APP STREAM ENDPOINT REGION")
    app, stream, endpoint, region = sys.argv[1:]
    sc = SparkContext(appName="Kinesis word count")
    ssc = StreamingContext(sc, 1)
    lines = KinesisUtils.createStream(
        ssc, app, stream, endpoint, region, InitialPositionInStream.TRIM_HORIZON, 2
    )
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
