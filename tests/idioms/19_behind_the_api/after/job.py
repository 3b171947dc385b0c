"""Arguments from a tuple, and objects of the JVM."""
from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

WINDOW = (30, 10)

sc = SparkContext()
log4j = sc._jvm.org.apache.log4j
log4j.LogManager.getRootLogger().setLevel(log4j.Level.ERROR)
ssc = StreamingContext(sc, 10)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
lines.window(*WINDOW).count().pprint()  # expect: DS906
lines.context().remember(60)
print(lines._jdstream.dstream().id())  # expect: DS601
seconds = ssc._jvm.org.apache.spark.streaming.Duration(10)  # expect: DS601
ssc._jssc.checkpoint("checkpoint")  # expect: DS601
ssc.start()
ssc.awaitTerminationOrTimeout(600)
ssc._jssc.stop(False)
