#!/usr/bin/env python
# -*- coding: utf-8 -*-
"""A job for Python 2: page views and errors per zip code, and the users of the last 20 seconds.

python2_pageviews.py HOST PORT; a view is a line "url status zip user".
"""

import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext


def parse(line):
    url, status, zip_code, user = line.split(" ")
    return url, int(status), zip_code, int(user)


def error_rate(errors_views):
    (errors, views) = errors_views
    return round(100.0 * errors / views, 1)


def show(time, rdd):
    print("views per page at", time)
    for url, count in rdd.takeOrdered(10, lambda url_count: (-url_count[1], url_count[0])):
        print("  %-20s %d" % (url, count))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: python2_pageviews.py HOST PORT", file=sys.stderr)
        sys.exit(1)

    sc = SparkContext(appName="page views")
    ssc = StreamingContext(sc, 5)
    ssc.checkpoint("checkpoint")
    views = ssc.socketTextStream(sys.argv[1], int(sys.argv[2])).map(parse)

    views.map(lambda url_status_zip_code_user: (url_status_zip_code_user[0], 1)).reduceByKey(
        lambda a, b: a + b).foreachRDD(show)

    rates = (views.map(lambda url_status_zip_code_user: (url_status_zip_code_user[2], (int(url_status_zip_code_user[1] >= 400), 1)))
             .reduceByKey(lambda a, b: (a[0] + b[0], a[1] + b[1]))
             .mapValues(error_rate))
    rates.pprint()

    views.window(20, 5).map(lambda view: view[3]).countByValue().pprint(3)

    ssc.start()
    ssc.awaitTermination()
