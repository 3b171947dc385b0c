import sys

from pyspark import SparkContext

SparkContext(appName=sys.argv[1])
