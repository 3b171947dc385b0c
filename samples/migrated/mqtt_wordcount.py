"""Counts the words of an MQTT topic: mqtt_wordcount.py URL TOPIC"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext
from dstream_compat.mqtt import MQTTUtils


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: mqtt_wordcount.py URL TOPIC")
    sc = SparkContext(appName="MQTT word count")
    ssc = StreamingContext(sc, 1)
    lines = MQTTUtils.createStream(ssc, sys.argv[1], sys.argv[2])
    counts = (
        lines.flatMap(lambda line: line.split(" "))
        .map(lambda word: (word, 1))
        .reduceByKey(lambda a, b: a + b)
    )
    counts.pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
