"""A job that waits for an event of its own, not for the context."""

import threading

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

over = threading.Event()
left = [3]


def count_down(rdd):
    left[0] -= 1
    if not left[0]:
        over.set()


ssc = StreamingContext(SparkContext(appName="waits"), 1)
lines = ssc.socketTextStream("localhost", 9999)
lines.map(len).pprint()
lines.foreachRDD(count_down)
ssc.start()
print("started")
over.wait()
ssc.stop()
