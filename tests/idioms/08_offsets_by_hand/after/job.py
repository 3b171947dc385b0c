"""Offsets from a database, and back into it; a global links two functions."""
import json

from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101
from dstream_compat.kafka import KafkaUtils, TopicAndPartition  # expect: DS101

import database

ranges = []


def store_offsets(rdd):
    global ranges
    ranges = rdd.offsetRanges()
    return rdd


def write(rdd):
    rows = rdd.map(lambda message: json.loads(message[1])).collect()
    database.insert(rows, [(r.topic, r.partition, r.untilOffset) for r in ranges])


ssc = StreamingContext(SparkContext(), 10)  # expect: DS609
start = {TopicAndPartition(t, p): o for t, p, o in database.offsets()}
stream = KafkaUtils.createDirectStream(  # expect: DS216
    ssc, ["events"], {"metadata.broker.list": database.BROKERS},  # expect: DS204
    fromOffsets=start)  # expect: DS205
stream.transform(store_offsets).foreachRDD(write)  # expect: DS312 DS410
ssc.start()
ssc.awaitTermination()
