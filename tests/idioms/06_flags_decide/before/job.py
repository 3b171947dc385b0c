"""Flags decide what is built; there is code after return; comments stand between the calls."""
import argparse

from pyspark import SparkContext
from pyspark.streaming import StreamingContext  # expect: DS101

PRINT = False


def build(ssc, args):
    lines = ssc.socketTextStream(args.host, args.port)  # expect: DS210
    if args.files:
        lines = ssc.textFileStream(args.files)  # expect: DS214
    counts = (
        lines.flatMap(lambda line: line.split(" "))
        # one for each word
        .map(lambda word: (word, 1))
        # and all of them together
        .reduceByKey(lambda a, b: a + b)
    )
    if PRINT:
        counts.pprint()
    else:
        counts.saveAsTextFiles("counts")
    return
    counts.pprint()


parser = argparse.ArgumentParser()
parser.add_argument("--host")
parser.add_argument("--port", type=int)
parser.add_argument("--files")
ssc = StreamingContext(SparkContext(), 5)  # expect: DS609
build(ssc, parser.parse_args())
ssc.start()
ssc.start()  # expect: DS605
ssc.awaitTermination()
