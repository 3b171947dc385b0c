"""Follows a growing log file with a receiver and counts lines per level: log_levels.py FILE

Python's DStreams never had custom receivers: this job is new.
"""

import sys
import threading

from pyspark import SparkContext

from dstream_compat import Receiver, StreamingContext


class Tail(Receiver):
    """The lines of a file, from its beginning, and whatever is appended to it."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def onStart(self):
        threading.Thread(target=self.follow, daemon=True).start()

    def onStop(self):
        pass  # the thread looks at isStopped()

    def follow(self):
        pause = threading.Event()
        begun = ""
        try:
            with open(self.path, encoding="utf-8") as file:
                while not self.isStopped():
                    begun += file.readline()
                    if begun.endswith("\n"):
                        self.store(begun.rstrip("\n"))
                        begun = ""
                    else:  # the rest of the line has not been written yet
                        pause.wait(0.1)
        except OSError as error:
            self.restart(f"{self.path} cannot be read", error)


def levels(lines):
    """The number of lines per level; a line without one counts as "other"."""
    known = ("DEBUG", "INFO", "WARN", "ERROR")

    def level_of(line):
        first = line.partition(" ")[0]
        return first if first in known else "other"

    return lines.map(lambda line: (level_of(line), 1)).reduceByKey(lambda a, b: a + b)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: log_levels.py FILE")
    sc = SparkContext(appName="log levels")
    ssc = StreamingContext(sc, 1)
    levels(ssc.receiverStream(Tail(sys.argv[1]))).pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
