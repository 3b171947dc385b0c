"""Runs a SQL query on every batch of words: sql_per_batch.py HOST PORT"""

import sys

from pyspark import SparkContext
from pyspark.sql import Row, SparkSession
from dstream_compat import StreamingContext


def get_session(conf):
    if "session" not in globals():
        globals()["session"] = SparkSession.builder.config(conf=conf).getOrCreate()
    return globals()["session"]


def ask(time, rdd):
    print(f"========= {time} =========")
    if rdd.isEmpty():
        return
    spark = get_session(rdd.context.getConf())
    words = spark.createDataFrame(rdd.map(lambda word: Row(word=word)))
    words.createOrReplaceTempView("words")
    spark.sql("select word, count(*) as total from words group by word order by word").show()


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: sql_per_batch.py HOST PORT")
    sc = SparkContext(appName="SQL per batch")
    ssc = StreamingContext(sc, 1)
    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    lines.flatMap(lambda line: line.split()).foreachRDD(ask)
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
