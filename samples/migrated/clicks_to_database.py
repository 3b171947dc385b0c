"""Counts clicks per page and writes every batch into a database, a connection per partition:
clicks_to_database.py HOST PORT DATABASE (a file for SQLite, or postgresql://… for PostgreSQL)"""

import sqlite3
import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext

CREATE = "create table if not exists clicks (batch bigint, page text, number int)"


def connect(database):
    if database.startswith("postgresql:"):
        import psycopg2

        return psycopg2.connect(database), "%s"
    return sqlite3.connect(database, timeout=60), "?"


def create(database):
    connection, _ = connect(database)
    connection.cursor().execute(CREATE)
    connection.commit()
    connection.close()


def save_partition(database, batch, rows):
    connection, mark = connect(database)
    cursor = connection.cursor()
    cursor.executemany(
        "insert into clicks values ({0}, {0}, {0})".format(mark),
        [(batch, page, number) for page, number in rows],
    )
    connection.commit()
    connection.close()


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: clicks_to_database.py HOST PORT DATABASE")
    host, port, database = sys.argv[1:]

    sc = SparkContext(appName="clicks to a database")
    ssc = StreamingContext(sc, 1)

    clicks = ssc.socketTextStream(host, int(port))
    counts = clicks.map(lambda line: (line.split()[1], 1)).reduceByKey(lambda a, b: a + b)

    def save(time, rdd):
        create(database)  # not while the graph is built: that also happens when nothing is saved
        batch = int(time.timestamp() * 1000)
        rdd.foreachPartition(lambda rows: save_partition(database, batch, rows))

    counts.foreachRDD(save)

    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
