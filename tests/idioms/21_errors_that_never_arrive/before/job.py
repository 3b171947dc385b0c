"""A try that was meant for the batches, and a batch that keeps its errors to itself."""
import sys

from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101


def save(rdd):
    try:
        rdd.saveAsTextFile("out")
    except Exception:
        pass


ssc = StreamingContext(SparkContext(), 5)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
try:
    lines.map(int).foreachRDD(lambda rdd: print(rdd.sum()))  # expect: DS507
    lines.foreachRDD(save)  # expect: DS507 DS507
except Exception as error:
    print("a batch failed", error, file=sys.stderr)
ssc.start()
ssc.awaitTermination()
