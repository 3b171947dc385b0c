"""The pipeline is chosen at run time; the stream stands behind a property."""
import sys

import pyspark
from dstream_compat import StreamingContext  # expect: DS101

import pipelines


class Job(object):
    def __init__(self, ssc):
        self._ssc = ssc

    @property
    def lines(self):
        return self._ssc.socketTextStream("localhost", 9999)  # expect: DS210


ssc = StreamingContext(pyspark.SparkContext(), 2)  # expect: DS609
getattr(pipelines, sys.argv[1])(Job(ssc).lines)  # expect: DS902
ssc.start()
ssc.awaitTermination()
