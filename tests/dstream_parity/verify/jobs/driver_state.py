"""A body that fills a dict which a map looks into."""

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

seen = {}
sc = SparkContext(appName="state in the driver")
ssc = StreamingContext(sc, 1)
words = ssc.socketTextStream("localhost", 9999).flatMap(lambda line: line.split())


def remember(rdd):
    for word in rdd.collect():
        seen[word] = seen.get(word, 0) + 1


words.foreachRDD(remember)
words.map(lambda word: (word, seen.get(word, 0))).pprint()
ssc.start()
ssc.awaitTermination()
