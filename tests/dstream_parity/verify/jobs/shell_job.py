"""A job for the pyspark shell: sc is there already; redis is imported from nowhere."""

import redis
from pyspark.streaming import StreamingContext

client = redis.Redis("cache.example.com")
ssc = StreamingContext(sc, 1)
words = ssc.queueStream([["a", "b"], ["b"]])


def looked_up(word):
    import redis

    return word, redis.Redis("cache.example.com").get(word)


words.map(looked_up).pprint()
ssc.start()
words.pprint()
