"""The job ends itself when a batch is empty."""
from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101

ssc = StreamingContext(SparkContext(), 2)  # expect: DS609


def save(rdd):
    if rdd.isEmpty():
        ssc.stop(stopSparkContext=True, stopGraceFully=False)  # expect: DS604
    else:
        rdd.saveAsTextFile("out")


def drain(rdd):
    if rdd.isEmpty():
        ssc.stop(True, True)  # expect: DS604 DS611


lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
lines.foreachRDD(save)  # expect: DS315
lines.foreachRDD(drain)
ssc.start()
ssc.awaitTermination()
