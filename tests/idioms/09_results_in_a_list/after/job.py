"""Results are gathered in a list of the driver, then a stop after some time, then a plot."""
import time

import matplotlib.pyplot as plt
from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

history = []

ssc = StreamingContext(SparkContext("local[2]"), 1)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
lines.count().foreachRDD(lambda rdd: history.append(rdd.collect()))  # expect: DS410
ssc.start()
time.sleep(30)
ssc.stop(stopSparkContext=True, stopGraceFully=True)  # expect: DS611
plt.plot([batch[0] for batch in history if batch])
plt.show()
