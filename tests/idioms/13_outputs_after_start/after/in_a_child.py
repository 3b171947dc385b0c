"""A job that a child process starts and ends, so that the parent can go on."""
import time
from multiprocessing import Process

from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

seen = []


def build():
    ssc = StreamingContext(SparkContext(appName="child"), 5)  # expect: DS609
    words = ssc.socketTextStream("localhost", 9999).flatMap(str.split)  # expect: DS210
    words.foreachRDD(lambda rdd: seen.extend(rdd.take(10)))  # expect: DS410
    return ssc


def listen(ssc):
    ssc.start()  # expect: DS614
    ssc.awaitTermination()


if __name__ == "__main__":
    child = Process(target=listen, args=(build(),))
    child.start()
    time.sleep(60)
    child.terminate()
    print(seen)
