"""Counts the clicks of a Kafka topic by page, with the titles of the pages: clicks.py"""

from pages import titles
from pyspark import SparkContext
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils


def main():
    sc = SparkContext(appName="clicks")
    ssc = StreamingContext(sc, 1)
    clicks = KafkaUtils.createStream(ssc, "zookeeper:2181", "clicks-job", {"clicks": 1})
    counts = titles(clicks).map(lambda page: (page, 1)).reduceByKey(lambda a, b: a + b)
    counts.pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
