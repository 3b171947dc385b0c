"""All the sources that Spark no longer ships, and files, a queue and a receiver's worth of unions."""

import json

import findspark

findspark.init()

from pyspark import SparkContext, StorageLevel
from pyspark.streaming import StreamingContext
from pyspark.streaming.flume import FlumeUtils
from pyspark.streaming.kafka import KafkaUtils, OffsetRange, TopicAndPartition
from pyspark.streaming.kinesis import InitialPositionInStream, KinesisUtils
from pyspark.streaming.mqtt import MQTTUtils

import helper

ranges = []


def remember_ranges(rdd):
    ranges[:] = rdd.offsetRanges()
    return rdd.map(lambda pair: (pair[1]["n"], sum(r.untilOffset for r in ranges)))


sc = SparkContext("yarn", "all of them")
ssc = StreamingContext(sc, 1)
direct = KafkaUtils.createDirectStream(
    ssc,
    ["events"],
    {"metadata.broker.list": "broker:9092"},
    fromOffsets={TopicAndPartition("events", 0): 0},
    valueDecoder=lambda raw: json.loads(raw.decode("utf-8")),
)
direct.transform(remember_ranges).pprint()
receivers = [
    KafkaUtils.createStream(ssc, "zookeeper:2181", "group", {"clicks": 1}) for _ in range(3)
]
ssc.union(*receivers).map(lambda pair: pair[1]).countByValue().pprint()
kinesis = KinesisUtils.createStream(
    ssc,
    "app",
    "shards",
    "https://kinesis",
    "us",
    InitialPositionInStream.LATEST,
    2,
    StorageLevel.MEMORY_AND_DISK_2,
)
mqtt = MQTTUtils.createStream(ssc, "tcp://broker:1883", "sensors")
kinesis.union(mqtt).map(helper.shout).pprint()
flume = FlumeUtils.createPollingStream(ssc, [("host", 4141)])
flume.map(lambda event: (len(event[0]), event[1])).saveAsTextFiles("/nowhere/flume")
ssc.binaryRecordsStream("/nowhere/records", 2).count().pprint()
ssc.textFileStream("/nowhere/text").window(2, 1).foreachRDD(
    lambda rdd: rdd.saveAsTextFile("/nowhere")
)
static = KafkaUtils.createRDD(sc, {}, [OffsetRange("settings", 0, 0, 2)]).map(
    lambda pair: (pair[1], 1)
)
ssc.queueStream([["on"], ["off", "on"]]).map(lambda word: (word, 2)).transform(
    lambda rdd: rdd.join(static)
).pprint()
ssc.start()
ssc.start()
ssc.awaitTermination()
ssc.stop()
