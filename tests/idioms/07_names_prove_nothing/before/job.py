"""Records, iterators and loop variables that are called rdd or stream and are none."""
from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101


def last(rdd):
    # an iterator over a partition
    for stream in rdd:
        rdd = stream
    yield rdd


def first_word(rdd):
    # a line
    if rdd:
        return rdd.split()[0].join("<>")
    return rdd.count("x")


ssc = StreamingContext(SparkContext(), 2)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
lines.map(first_word).mapPartitions(last).pprint()
for rdd in ["a", "b"]:
    print(rdd.count("a"), rdd.join("xy"))
ssc.start()
ssc.awaitTermination()
