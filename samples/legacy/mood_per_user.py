"""The average mood of every user, over all their messages so far, as a table after each batch:
mood_per_user.py HOST PORT. A message is a line of JSON with "user" and "text"."""

import json
import sys

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.streaming import StreamingContext

GOOD = {"good", "great", "happy", "love"}
BAD = {"awful", "bad", "hate", "sad"}


def mood_of(text):
    words = text.lower().split()
    return sum(word in GOOD for word in words) - sum(word in BAD for word in words)


def update_mood(new_moods, state):
    total, number = state or (0, 0)
    return total + sum(new_moods), number + len(new_moods)


def show(time, rdd):
    if rdd.isEmpty():
        print("nobody has said anything yet")
        return
    spark = SparkSession.builder.getOrCreate()
    df = spark.createDataFrame(rdd, ["user", "mood"])
    df.orderBy(df.mood.desc(), df.user).show()


def main():
    sc = SparkContext(appName="mood per user")
    ssc = StreamingContext(sc, 10)
    ssc.checkpoint("checkpoint")

    messages = ssc.socketTextStream(sys.argv[1], int(sys.argv[2])).map(json.loads)
    moods = messages.map(lambda message: (message["user"], mood_of(message["text"])))
    averages = moods.updateStateByKey(update_mood).mapValues(lambda state: state[0] / state[1])
    averages.foreachRDD(show)

    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
