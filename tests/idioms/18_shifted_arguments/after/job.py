"""Arguments one place too far, and a list where an RDD belongs."""
from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

ssc = StreamingContext(SparkContext(), 2)  # expect: DS609
ssc.checkpoint("checkpoint")  # expect: DS404
words = ssc.socketTextStream("localhost", 9999).map(lambda word: (word, 1))  # expect: DS210
recent = words.reduceByKeyAndWindow(lambda a, b: a + b, 24, 4, slideDuration=2)  # expect: DS303 DS307
right = words.reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a - b, 24, 4)
top = recent.transform(lambda rdd: rdd.takeOrdered(10, lambda pair: -pair[1]))  # expect: DS310 DS312
ordered = right.transform(lambda rdd: rdd.sortBy(lambda pair: -pair[1]))
top.pprint()
ordered.sortByKey().pprint()  # expect: DS301
ordered.pprint()
ssc.start()
ssc.awaitTermination()
