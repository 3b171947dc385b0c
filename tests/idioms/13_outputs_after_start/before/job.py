"""Outputs that a signal handler and a thread add to a job that runs."""
import signal
import threading

from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101

ssc = StreamingContext(SparkContext(), 2)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
lines.count().pprint()


def show(signum, frame):
    lines.pprint()  # expect: DS502


ssc.start()
signal.signal(signal.SIGUSR1, show)
lines.foreachRDD(lambda rdd: print(rdd.first()))  # expect: DS502
threading.Timer(60, lambda: lines.map(len).pprint()).start()  # expect: DS502
ssc.awaitTermination()
