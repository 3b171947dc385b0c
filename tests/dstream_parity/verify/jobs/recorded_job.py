"""A job with its recording left in: harmless where it is only verified."""

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

from dstream_compat import record


def build(ssc, lines, directory):
    recording = record.Recording(directory, limit=3)
    lines = recording.input("lines", lines, source="socket")
    words = lines.flatMap(lambda line: line.split()).map(lambda word: (word, 1))
    counts = recording.output("counts", words.reduceByKey(lambda a, b: a + b))
    grouped = recording.output("grouped", words.groupByKey())
    return [grouped, counts]


if __name__ == "__main__":
    ssc = StreamingContext(SparkContext(appName="recorded"), 1)
    for stream in build(ssc, ssc.socketTextStream("localhost", 9999), "/nowhere/recording"):
        stream.pprint()
    ssc.start()
    ssc.awaitTermination()
