"""Credentials in the arguments: no report may repeat them."""
from pyspark import SparkContext, StorageLevel
from dstream_compat import StreamingContext  # expect: DS101
from dstream_compat.kafka import KafkaUtils  # expect: DS101
from dstream_compat.kinesis import KinesisUtils, InitialPositionInStream  # expect: DS101

ssc = StreamingContext(SparkContext(), 5)  # expect: DS609
ssc.checkpoint("hdfs://admin:hunter2@namenode/checkpoint")  # expect: DS404
clicks = KinesisUtils.createStream(  # expect: DS207 DS210
    ssc, "job", "clicks", "https://kinesis.eu-west-1.amazonaws.com", "eu-west-1",
    InitialPositionInStream.LATEST, 5, StorageLevel.MEMORY_AND_DISK_2,
    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
orders = KafkaUtils.createStream(  # expect: DS203 DS216
    ssc, "admin:hunter2@zookeeper:2181", "orders", {"orders": 1},
    {"sasl.password": "hunter2", "zookeeper.connect": "hunter2"})  # expect: DS204
clicks.window(7, "hunter2").pprint()  # expect: DS303 DS305
orders.pprint()
ssc.start()
ssc.awaitTermination()
