"""Counts the messages of a Kafka topic: job.py [--check]"""

import sys

from pyspark import SparkContext
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils


def main():
    sc = SparkContext(appName="words")
    ssc = StreamingContext(sc, 1)
    pages = KafkaUtils.createDirectStream(ssc, ["pages"], {"metadata.broker.list": "kafka:9092"})
    counts = pages.map(lambda message: (message[1], 1)).reduceByKey(lambda a, b: a + b)
    counts.pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(StreamingContext.__module__ != "dstream_compat.context")
    main()
