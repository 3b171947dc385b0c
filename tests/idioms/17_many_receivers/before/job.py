"""Several receivers on one topic, united: to read in parallel; and two hosts, which are two things."""
from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101
from pyspark.streaming.kafka import KafkaUtils  # expect: DS101

ssc = StreamingContext(SparkContext(), 5)  # expect: DS609
streams = [
    KafkaUtils.createStream(ssc, "zookeeper:2181", "clicks", {"clicks": 1})  # expect: DS203 DS216
    for _ in range(4)
]
ssc.union(*streams).count().pprint()  # expect: DS211
east = ssc.socketTextStream("east.example.org", 9999)  # expect: DS210
west = ssc.socketTextStream("west.example.org", 9999)
ssc.union(east, west).count().pprint()
ssc.start()
ssc.awaitTermination()
