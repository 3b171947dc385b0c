"""A job that names the Python of its cluster, and has state."""

import os

os.environ["PYSPARK_PYTHON"] = "/opt/cluster/bin/python3.6"

from pyspark import SparkContext
from pyspark.streaming import StreamingContext

ssc = StreamingContext(SparkContext(appName="names its Python"), 1)
ssc.checkpoint("checkpoint")
lines = ssc.socketTextStream("localhost", 9999)
lines.map(lambda line: (line, 1)).updateStateByKey(lambda new, old: sum(new) + (old or 0)).pprint()
ssc.start()
ssc.awaitTermination()
