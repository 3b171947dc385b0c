"""The three best-selling products of every batch, by name, joined with a static table."""

import threading

from pyspark import SparkContext
from dstream_compat import StreamingContext

NAMES = [(1, "tea"), (2, "coffee"), (3, "cocoa"), (4, "water")]
SALES = [
    [(1, 5), (2, 7), (1, 1), (4, 2)],
    [(3, 9), (3, 9), (2, 1)],
    [],
    [(4, 1), (1, 2), (2, 3), (3, 4), (5, 99)],
]


def best_sellers(sales, names):
    """``sales``: a stream of (product, number); ``names``: an RDD of (product, name)."""
    totals = sales.reduceByKey(lambda a, b: a + b)
    named = totals.transform(lambda rdd: rdd.join(names).values())
    return named.transform(lambda rdd: rdd.sortBy(lambda pair: pair[0], ascending=False))


def main():
    sc = SparkContext(appName="best sellers")
    ssc = StreamingContext(sc, 1)
    names = sc.parallelize(NAMES)
    over = threading.Event()
    seen = []

    def show(time, rdd):
        print(", ".join(f"{name} {total}" for total, name in rdd.take(3)) or "(no sales)")
        seen.append(time)
        if len(seen) == len(SALES):
            over.set()

    best_sellers(ssc.queueStream(SALES), names).foreachRDD(show)
    ssc.start()
    while not over.is_set() and not ssc.awaitTerminationOrTimeout(1):
        pass
    ssc.stop(stopSparkContext=True, stopGraceFully=False)


if __name__ == "__main__":
    main()
