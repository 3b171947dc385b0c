"""Counts words: words.py HOST PORT"""

import sys

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

sc = SparkContext(appName="words")
ssc = StreamingContext(sc, 1)
lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
words = lines.flatMap(lambda line: line.split())
words.map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b).pprint()
ssc.start()
ssc.awaitTermination()
