"""Who gets the batch time: pyspark counts the arguments in f.__code__."""
import functools

from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101


def logged(function):
    def wrapper(*args):
        print("batch", args[0])
        return function(*args)
    return wrapper


@logged
def save(time, rdd):
    rdd.saveAsTextFile("out/%s" % time)


def save_as(name, rdd):
    rdd.saveAsTextFile(name)


class Sink(object):
    def timed(self, time, rdd):
        print(time, rdd.count())

    def untimed(self, rdd):
        print(rdd.count())


sc = SparkContext(appName="arity")
ssc = StreamingContext(sc, 2)  # expect: DS609
lines = ssc.socketTextStream("localhost", 9999)  # expect: DS210
lines.foreachRDD(lambda rdd: print(rdd.count()))
lines.foreachRDD(lambda time, rdd: print(time, rdd.count()))
lines.foreachRDD(save)  # expect: DS311
lines.foreachRDD(Sink().timed)
lines.foreachRDD(Sink().untimed)  # expect: DS311
lines.foreachRDD(functools.partial(save_as, "out"))  # expect: DS311
for table in ("a", "b"):
    lines.foreachRDD(lambda rdd, table=table: save_as(table, rdd))  # expect: DS311
ssc.start()
ssc.awaitTermination()
