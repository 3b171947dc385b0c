from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101

from pipeline import Pipeline
from tables import Table

ssc = StreamingContext(SparkContext(), 10)  # expect: DS609
Pipeline(ssc.socketTextStream("localhost", 9999), Table("rows")).build()  # expect: DS210
ssc.start()
ssc.awaitTermination()
