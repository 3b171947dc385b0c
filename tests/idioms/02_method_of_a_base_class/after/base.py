from dstream_compat import StreamingContext  # expect: DS101


class Job(object):
    def __init__(self, sc, seconds):
        self.ssc = StreamingContext(sc, seconds)  # expect: DS609

    def process(self, time, rdd):
        raise NotImplementedError

    def run(self, stream):
        self.result = stream.foreachRDD(self.process)  # expect: DS504
        self.ssc.start()
        self.ssc.awaitTermination()
