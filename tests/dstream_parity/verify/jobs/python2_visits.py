# -*- coding: utf-8 -*-
"""A job for Python 2 with its recording left in: visits, visitors and seconds per page.

python2_visits.py HOST PORT RECORDING; a visit is a line "page user seconds".
"""

import sys

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

import record


def parse(line):
    page, user, seconds = line.split(u" ")
    return page, (user, long(seconds))


def add_up(values, (visits, seconds)):
    return visits + len(values), seconds + sum(s for _, s in values)


def show(time, rdd):
    print "average at", time
    for page, average in rdd.sortByKey().collect():
        print u"  %-10s %d" % (page, average)


if __name__ == "__main__":
    if len(sys.argv) <> 4:
        print >> sys.stderr, "usage: python2_visits.py HOST PORT RECORDING"
        sys.exit(1)

    sc = SparkContext(appName="visits")
    ssc = StreamingContext(sc, 2)
    ssc.checkpoint("checkpoint")
    recording = record.Recording(sys.argv[3], limit=6)

    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    visits = recording.input("lines", lines, source="socket").map(parse)

    totals = visits.updateStateByKey(lambda new, old: add_up(new, old or (0, 0L)))
    recording.output("totals", totals).pprint()

    averages = totals.mapValues(lambda (count, seconds): seconds / count)
    recording.output("averages", averages).foreachRDD(show)

    recent = visits.map(lambda (page, (user, _)): (page, user)).window(6, 2).transform(
        lambda rdd: rdd.distinct()).countByValue()
    recording.output("recent", recent).pprint()

    pages = visits.map(lambda (page, _): (page, {"page": page, "parts": set(page.strip("/"))}))
    recording.output("pages", pages.groupByKey()).pprint()

    users = visits.map(lambda (_, (user, seconds)): (user, seconds))
    recording.output("users", users, mask=lambda (user, seconds): (hash(user) % 7, seconds)).pprint()

    ssc.start()
    ssc.awaitTermination()
