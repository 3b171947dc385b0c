"""Sorts the readings of sensors into priorities by limits that are broadcast, counts them and
prints the urgent ones: iot_priorities.py HOST PORT. A reading is a line "sensor,kind,value"."""

import argparse

from pyspark import SparkConf, SparkContext
from dstream_compat import StreamingContext

LIMITS = {"temperature": (60.0, 90.0), "vibration": (0.4, 0.8), "humidity": (70.0, 95.0)}


def parse(line):
    sensor, kind, value = line.split(",")
    return sensor, kind, float(value)


def priority(reading, limits):
    _, kind, value = reading
    warn, alarm = limits.get(kind, (float("inf"), float("inf")))
    return "high" if value >= alarm else "medium" if value >= warn else "low"


class Monitor:
    def __init__(self, host, port):
        conf = SparkConf().setAppName("sensors").set("spark.streaming.blockInterval", "100ms")
        self.sc = SparkContext(conf=conf)
        self.ssc = StreamingContext(self.sc, 2)
        self.host = host
        self.port = port

    def build(self):
        limits = self.sc.broadcast(LIMITS)
        lines = self.ssc.socketTextStream(self.host, self.port)
        readings = lines.filter(lambda line: line.count(",") == 2).map(parse)
        rated = readings.map(lambda reading: (priority(reading, limits.value), reading)).cache()
        rated.map(lambda pair: pair[0]).countByValue().pprint()
        rated.filter(lambda pair: pair[0] == "high").groupByKey().mapValues(sorted).foreachRDD(
            self.alert
        )

    def alert(self, time, rdd):
        for _, readings in rdd.collect():
            for sensor, kind, value in readings:
                print("%s: %s of %s is %.1f" % (time, kind, sensor, value))

    def run(self):
        self.build()
        self.ssc.start()
        self.ssc.awaitTermination()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    options = parser.parse_args()
    Monitor(options.host, options.port).run()
