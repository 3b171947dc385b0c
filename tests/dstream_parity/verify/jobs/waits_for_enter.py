"""A job that runs until somebody presses a key."""

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

ssc = StreamingContext(SparkContext(appName="waits"), 1)
ssc.socketTextStream("localhost", 9999).map(len).pprint()
ssc.start()
input("Enter ends it")
ssc.stop()
