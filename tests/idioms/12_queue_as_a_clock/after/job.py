"""A queue with a default as the clock of a job that asks an HTTP service."""
import json
from urllib.request import urlopen

from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

sc = SparkContext()
ssc = StreamingContext(sc, 60)  # expect: DS609
ticks = ssc.queueStream([], default=sc.parallelize([0]))  # expect: DS213
ticks.flatMap(lambda _: json.load(urlopen("https://example.org/prices"))).pprint()
ssc.start()
ssc.awaitTermination()
