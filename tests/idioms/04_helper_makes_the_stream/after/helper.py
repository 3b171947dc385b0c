from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101
from dstream_compat.kafka import KafkaUtils  # expect: DS101


def make(name, seconds, topic, brokers):
    sc = SparkContext(appName=name)
    ssc = StreamingContext(sc, seconds)  # expect: DS609
    params = {"metadata.broker.list": brokers}  # expect: DS204
    return ssc, KafkaUtils.createDirectStream(ssc, [topic], params)  # expect: DS216
