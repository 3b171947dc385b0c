import socket

from pyspark import SparkContext

sc = SparkContext(appName="connects")
socket.create_connection(("127.0.0.1", 1), timeout=5)
