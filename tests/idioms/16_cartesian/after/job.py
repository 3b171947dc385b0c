"""Shares of a total: every pair with the one number of its batch."""
from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

ssc = StreamingContext(SparkContext(), 10)  # expect: DS609
words = ssc.socketTextStream("localhost", 9999).flatMap(lambda line: line.split())  # expect: DS210
total = words.count()
shares = (
    words.countByValue()
    .transformWith(lambda a, b: a.cartesian(b), total)  # expect: DS312
    .map(lambda both: (both[0][0], both[0][1] / both[1]))
)
shares.pprint()
ssc.start()
ssc.awaitTermination()
