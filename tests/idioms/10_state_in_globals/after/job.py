"""State between batches in globals and in self: a running variance."""
from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

total = 0.0
squares = 0.0
count = 0


def update(rdd):
    global total, squares, count
    values = rdd.collect()
    total += sum(values)
    squares += sum(value * value for value in values)
    count += len(values)
    if count:
        print(squares / count - (total / count) ** 2)


class Largest(object):
    seen = None

    def update(self, time, rdd):
        if not rdd.isEmpty():
            self.seen = max(rdd.max(), self.seen or 0)


ssc = StreamingContext(SparkContext(), 1)  # expect: DS609
values = ssc.socketTextStream("localhost", 9999).map(float)  # expect: DS210
values.foreachRDD(update)  # expect: DS410
values.foreachRDD(Largest().update)  # expect: DS315
ssc.start()
ssc.awaitTermination()
