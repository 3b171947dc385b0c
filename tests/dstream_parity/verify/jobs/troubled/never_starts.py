from pyspark import SparkContext
from pyspark.streaming import StreamingContext


def main():
    ssc.start()


ssc = StreamingContext(SparkContext(appName="never"), 1)
ssc.queueStream([[1]]).pprint()
