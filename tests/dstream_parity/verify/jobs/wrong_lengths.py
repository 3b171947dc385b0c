"""lengths.py, and what somebody took for the same: words of a line that are equal count once."""

from pyspark import SparkContext

from dstream_compat import StreamingContext

ssc = StreamingContext(SparkContext(appName="lengths"), 1)
lines = ssc.socketTextStream("localhost", 9999)
lines.map(lambda line: len(" ".join(dict.fromkeys(line.split(" "))))).pprint()
ssc.start()
ssc.awaitTermination()
