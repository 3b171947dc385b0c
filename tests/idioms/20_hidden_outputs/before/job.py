"""A vendored connector, a patched class, and a model whose training is an output operation."""
from pyspark import SparkContext
from pyspark.mllib.clustering import StreamingKMeans
from pyspark.mllib.linalg import Vectors
from pyspark.streaming import DStream, StreamingContext  # expect: DS101

from mqtt import MQTTUtils  # expect: DS105


def save_to_cassandra(stream, table):
    stream.foreachRDD(lambda rdd: rdd.foreachPartition(table.insert))


DStream.saveToCassandra = save_to_cassandra  # expect: DS506

ssc = StreamingContext(SparkContext(), 5)  # expect: DS609
points = MQTTUtils.createStream(ssc, "tcp://broker:1883", "points").map(Vectors.parse)
model = StreamingKMeans(k=3, decayFactor=0.5).setRandomCenters(2, 1.0, 0)
model.trainOn(points)  # expect: DS505
points.saveToCassandra("points")
ssc.start()
ssc.awaitTermination()
