"""A function that fails on one line, a transform that fails in one batch."""

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

sc = SparkContext(appName="failing")
ssc = StreamingContext(sc, 1)
lines = ssc.socketTextStream("localhost", 9999)


def checked(time, rdd):
    if "stop" in rdd.collect():
        raise RuntimeError("no such batch")
    return rdd


numbers = lines.filter(lambda line: line != "stop").map(int)
numbers.pprint()
lines.transform(checked).count().pprint()
ssc.start()
ssc.awaitTermination()
