"""No import of pyspark at all: the stream arrives by the constructor."""


class Pipeline(object):
    def __init__(self, stream, table):
        self.stream = stream
        self.table = table

    def build(self):
        fields = self.stream.map(lambda line: line.split(","))
        fields.filter(lambda row: len(row) == 3).foreachRDD(lambda rdd: self.write(rdd))

    def write(self, rdd):
        rdd.foreachPartition(self.table.insert)
