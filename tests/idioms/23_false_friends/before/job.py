"""Other things called transform, window and join; and an import that nobody uses."""
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.streaming import StreamingContext  # expect: DS102
from sklearn.preprocessing import StandardScaler

spark = SparkSession.builder.getOrCreate()
frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
scaled = StandardScaler().fit(frame).transform(frame)
print(frame.x.rolling(2).sum().transform(abs).count(), ",".join(["a", "b"]))
stream = spark.readStream.format("rate").load()
query = stream.groupBy("value").count().writeStream.format("console").start()
query.awaitTermination()
