from pyspark import SparkContext
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils

ssc = StreamingContext(SparkContext(), 5)
orders = KafkaUtils.createDirectStream(ssc, ["orders"], {"metadata.broker.list": "kafka:9092"})
users = ssc.textFileStream("/data/users").map(lambda line: tuple(line.split(",")))
totals = orders.map(lambda m: (m[0], float(m[1]))).reduceByKeyAndWindow(max, None, 60, 5)
named = totals.join(users)
named.pprint()
named.foreachRDD(lambda rdd: print(rdd.count()))
users.count().pprint()
ssc.start()
ssc.awaitTermination()
