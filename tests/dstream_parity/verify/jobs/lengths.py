"""The lengths of lines, and no state."""

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

ssc = StreamingContext(SparkContext(appName="lengths"), 1)
ssc.socketTextStream("localhost", 9999).map(len).pprint()
ssc.start()
ssc.awaitTermination()
