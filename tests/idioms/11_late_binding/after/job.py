"""A static RDD is replaced while the job runs; the lambda sees the new one."""
import threading

from pyspark import SparkContext
from dstream_compat import StreamingContext  # expect: DS101

sc = SparkContext()
ssc = StreamingContext(sc, 5)  # expect: DS609
users = sc.textFile("/data/users").map(lambda line: line.split(",")).cache()


def refresh():
    global users
    users = sc.textFile("/data/users").map(lambda line: line.split(",")).cache()
    threading.Timer(3600, refresh).start()


clicks = ssc.textFileStream("/data/clicks").map(lambda line: line.split(","))  # expect: DS214
clicks.transform(lambda rdd: rdd.join(users)).pprint()  # expect: DS312 DS317
ssc.start()
refresh()
ssc.awaitTermination()
