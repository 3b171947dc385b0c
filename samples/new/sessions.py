"""Follows visits from page to page until they end, by logout or after some seconds without a click:
sessions.py HOST PORT CHECKPOINT. Python's DStreams never had mapWithState: this job is new."""

import sys

from pyspark import SparkContext

from dstream_compat import StateSpec, StreamingContext


def click_of(line):
    user, _, page = line.partition(" ")
    return user, page


def follow(user, page, visit):
    """The visit of ``user`` after a click on ``page``, or after a time-out, without a page."""
    if visit.isTimingOut():
        return f"{user} went away: {visit.get()}"
    path = f"{visit.get()} > {page}" if visit.exists() else page
    if page != "logout":
        visit.update(path)
        return f"{user} is here: {path}"
    if visit.exists():
        visit.remove()
    return f"{user} logged out: {path}"


def visits(clicks, timeout=5):
    """What happens to visits, and, after every batch, the visits that are still open."""
    followed = clicks.mapWithState(StateSpec.function(follow).timeout(timeout))
    return followed, followed.stateSnapshots()


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: sessions.py HOST PORT CHECKPOINT")
    sc = SparkContext(appName="sessions")
    ssc = StreamingContext(sc, 1)
    ssc.checkpoint(sys.argv[3])
    lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
    followed, going_on = visits(lines.map(click_of))
    followed.pprint()
    going_on.count().pprint()
    ssc.start()
    ssc.awaitTermination()


if __name__ == "__main__":
    main()
