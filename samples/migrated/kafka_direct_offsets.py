"""Counts the words of a Kafka topic, with the offsets of every batch:
kafka_direct_offsets.py BROKERS TOPIC [CHECKPOINT]"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext
from dstream_compat.kafka import KafkaUtils

offset_ranges = []


def store_offset_ranges(rdd):
    global offset_ranges
    offset_ranges = rdd.offsetRanges()
    return rdd


def print_offset_ranges(rdd):
    for o in offset_ranges:
        print(f"{o.topic} {o.partition}: {o.fromOffset} to {o.untilOffset}")


def set_up(brokers, topic):
    sc = SparkContext(appName="direct Kafka")
    ssc = StreamingContext(sc, 2)
    params = {"metadata.broker.list": brokers, "auto.offset.reset": "smallest"}
    stream = KafkaUtils.createDirectStream(ssc, [topic], params)
    stream.transform(store_offset_ranges).foreachRDD(print_offset_ranges)
    lines = stream.map(lambda message: message[1])
    counts = (
        lines.flatMap(lambda line: line.split(" "))
        .map(lambda word: (word, 1))
        .reduceByKey(lambda a, b: a + b)
    )
    counts.pprint()
    return ssc


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: kafka_direct_offsets.py BROKERS TOPIC [CHECKPOINT]")
    brokers, topic = sys.argv[1:3]
    if len(sys.argv) == 4:
        ssc = StreamingContext.getOrCreate(sys.argv[3], lambda: set_up(brokers, topic))
    else:
        ssc = set_up(brokers, topic)
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
