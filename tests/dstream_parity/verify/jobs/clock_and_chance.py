"""One output that depends on chance, one that does not."""

import random

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

sc = SparkContext(appName="chance")
ssc = StreamingContext(sc, 1)
numbers = ssc.queueStream([[1, 2, 3], [4]])
salt = random.random()
numbers.map(lambda number: number + salt).pprint()
numbers.map(lambda number: number * number).pprint()
ssc.start()
ssc.awaitTermination()
