"""foreachRDD bodies that print, count, write, fail and stop the job."""

import time

from pyspark.sql import SparkSession
from pyspark.streaming import StreamingContext

spark = SparkSession.builder.master("yarn").appName("bodies").getOrCreate()
ssc = StreamingContext(spark.sparkContext, 1)
words = ssc.socketTextStream("localhost", 9999).flatMap(lambda line: line.split())


def show(rdd):
    if rdd.isEmpty():
        print("nothing")
        return
    frame = spark.createDataFrame(rdd.map(lambda word: (word,)), ["word"])
    frame.groupBy("word").count().orderBy("word").show()
    frame.write.parquet("/nowhere/words")
    frame.writeTo("no_such_table").append()
    print("longest", rdd.map(len).max())


def fail(rdd):
    if "bad" in rdd.collect():
        raise ValueError("a bad word")


def until_end(rdd):
    if "end" in rdd.collect():
        ssc.stop()


words.foreachRDD(show)
words.foreachRDD(fail)
words.foreachRDD(until_end)
ssc.start()
time.sleep(3600)
ssc.stop()
spark.stop()
