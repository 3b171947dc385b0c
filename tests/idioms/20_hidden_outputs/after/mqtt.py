"""A copy of a connector that Spark dropped."""
from pyspark.serializers import UTF8Deserializer
from pyspark.storagelevel import StorageLevel
from dstream_compat import DStream  # expect: DS101


class MQTTUtils(object):
    @staticmethod
    def createStream(ssc, brokerUrl, topic, storageLevel=StorageLevel.MEMORY_AND_DISK_2):
        level = ssc._sc._getJavaStorageLevel(storageLevel)
        helper = ssc._jvm.org.apache.spark.streaming.mqtt.MQTTUtilsPythonHelper()  # expect: DS601
        stream = helper.createStream(ssc._jssc, brokerUrl, topic, level)  # expect: DS601
        return DStream(stream, ssc, UTF8Deserializer())  # expect: DS602
