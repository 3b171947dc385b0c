"""Counts the words of new files in a directory: textfile_wordcount.py DIRECTORY OUTPUT STOP_FILE

Writes one directory OUTPUT-<batch time> per batch, and stops when STOP_FILE appears.
"""

import os
import sys

from pyspark import SparkContext
from dstream_compat import StreamingContext


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: textfile_wordcount.py DIRECTORY OUTPUT STOP_FILE")
    directory, output, stop_file = sys.argv[1:]
    sc = SparkContext(appName="text file word count")
    ssc = StreamingContext(sc, 1)
    counts = (
        ssc.textFileStream(directory)
        .flatMap(lambda line: line.split())
        .map(lambda word: (word, 1))
        .reduceByKey(lambda a, b: a + b)
    )
    counts.map(lambda pair: f"{pair[0]}\t{pair[1]}").saveAsTextFiles(output)
    ssc.start()
    while not ssc.awaitTerminationOrTimeout(1):
        if os.path.exists(stop_file):
            ssc.stop(stopSparkContext=True, stopGraceFully=True)


if __name__ == "__main__":
    main()
