"""Counts the words of a Kafka topic in the receiver form:
kafka_receiver_wordcount.py ZOOKEEPER GROUP TOPIC"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext
from dstream_compat.kafka import KafkaUtils


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: kafka_receiver_wordcount.py ZOOKEEPER GROUP TOPIC")
    zookeeper, group, topic = sys.argv[1:]
    sc = SparkContext(appName="Kafka word count")
    ssc = StreamingContext(sc, 1)
    streams = [KafkaUtils.createStream(ssc, zookeeper, group, {topic: 1}) for _ in range(2)]
    lines = ssc.union(*streams).map(lambda x: x[1])
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
