"""A job whose first batch says that it runs, and then waits for ever."""

import sys
import threading

from pyspark import SparkContext
from pyspark.streaming import StreamingContext


path = sys.argv[1]


def wait(number):
    with open(path, "w") as fifo:
        fifo.write("running")
    threading.Event().wait()


ssc = StreamingContext(SparkContext(appName="waits"), 1)
ssc.queueStream([[1]]).map(wait).pprint()
ssc.start()
ssc.awaitTermination()
