from pyspark import SparkContext

from base import Job


class Counter(Job):
    def process(self, time, rdd):
        print(time, rdd.count())


job = Counter(SparkContext(appName="counter"), 5)
job.run(job.ssc.textFileStream("/data/in"))  # expect: DS214
