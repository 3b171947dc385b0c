"""A DStream is asked whether it has anything."""
from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

ssc = StreamingContext(SparkContext(), 2)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
errors = lines.filter(lambda line: "ERROR" in line)
if errors:  # expect: DS603
    errors.pprint()
if not errors.count():  # expect: DS603
    print("all is well")
if errors is not None:
    errors.saveAsTextFiles("errors")
ssc.start()
ssc.awaitTermination()
