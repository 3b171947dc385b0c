# -*- coding: utf-8 -*-
"""Records what goes into a DStream job and what comes out of it, batch by batch.

Copy this one file next to the job (Python 2.7 or 3.5 and newer, Spark 2 and newer) and say what to record:

    import record

    recording = record.Recording("hdfs:///recordings/words", limit=100)
    lines = recording.input("lines", lines)
    counts = recording.output("counts", counts)

Both calls give the stream back. Every batch of it is written by the executors, one element per line, under
``<directory>/<name>/<batch time in ms>/part-<n>``; the driver writes only ``<directory>/recording.json``. A recorded
stream is computed once more per batch. A batch that cannot be recorded, since computing or writing it fails, is left
out; that is printed once and never fails the job.

A recording holds what the job works on, customer data included: keep it where such data may be kept, or give ``mask``.
"""

from __future__ import print_function

import base64
import datetime
import decimal
import json
import os
import pickle
import re
import sys
import time
import traceback
import uuid

FORMAT = 1
PATIENCE = 3  # batches in a row that may fail before a stream is given up
PYTHON2 = sys.version_info[0] == 2

# unicode and long, in Python 2, without naming what Python 3 does not have
_TEXT = type(b"".decode("ascii"))
_INTEGERS = (int, type(2**100))

# Set where the job is only being replayed: then streams are named and nothing is written.
_REPLAYED = "DSTREAM_COMPAT_VERIFY"

# What recording.json says, by directory: the streams of a recording write one file together.
_SHARED = {}


class Recording(object):
    """A directory that streams are recorded into.

    ``directory``: any path that driver and executors can write to (hdfs:, s3a:, a mounted disk), a new
    one for every run: where there is a recording already, nothing is recorded.
    ``limit``: how many batches of each stream are recorded, from the first one on. Behind it only the
    newest offset ranges of direct Kafka streams are written down, so that a moved job can begin there.
    ``mask``: a function applied to every element before it is written, unless a stream has its own.
    """

    def __init__(self, directory, limit=100, mask=None):
        self._directory = str(directory).rstrip("/")
        self._limit = limit
        self._mask = mask
        self._taken = None  # not known before there is a stream
        self._about = {
            "format": FORMAT,
            "python": "%d.%d.%d" % sys.version_info[:3],
            "streams": [],
        }
        _SHARED[self._directory] = self._about

    def input(self, name, stream, source=None, topics=(), mask=None):
        """Record an input stream: what the job reads. Call it before anything else uses the stream.

        ``source`` and ``topics`` are notes for the reader: "kafka", ["clicks"]. The offset ranges of a
        direct Kafka stream are recorded by themselves.
        """
        return self._record("input", name, stream, mask, source=source, topics=list(topics))

    def output(self, name, stream, mask=None):
        """Record a stream that an output operation uses (pprint, foreachRDD, saveAsTextFiles)."""
        return self._record("output", name, stream, mask)

    def _record(self, role, name, stream, mask, **notes):
        if not re.match(r"^\w[\w.-]*$", name):
            raise ValueError(
                "a recorded stream has a plain name (letters, digits, _ . -), not %r" % name
            )
        known = [about["name"] for about in self._about["streams"]]
        if name in known:
            raise ValueError("there is a recorded stream named %r already" % name)
        if os.environ.get(_REPLAYED):
            stream._recorded_as = name
            return stream
        if self._taken is None:
            self._taken = _is_taken(stream._sc, self._directory)
        if self._taken:
            return stream
        mask = mask or self._mask
        about = dict(notes, name=name, role=role, masked=mask is not None, offsets={}, failed=[])
        about["latest"] = None
        about["number"] = len([other for other in self._about["streams"] if other["role"] == role])
        self._about["streams"].append(about)
        self._about["spark"] = stream._sc.version
        self._about["batch_ms"] = _batch_ms(stream)
        self._about["limit"] = self._limit
        _ship(stream._sc)
        stream.foreachRDD(_tap(self._directory, self._about, about, self._limit, mask))
        return stream


def _batch_ms(stream):
    context = stream.context()
    if hasattr(context, "_interval_ms"):
        return context._interval_ms
    return context._jssc.ssc().graph().batchDuration().milliseconds()


def _is_taken(sc, directory):
    """Whether another run has recorded there: two runs in one directory would be read as one."""
    path = sc._jvm.org.apache.hadoop.fs.Path(directory + "/recording.json")
    try:
        taken = path.getFileSystem(sc._jsc.hadoopConfiguration()).exists(path)
    except Exception:  # the first batch will tell
        return False
    if taken:
        _say(
            "%s holds the recording of another run: nothing is recorded; give every run a directory "
            "of its own" % directory
        )
    return taken


def _ship(sc):
    """Executors run functions of this file: they need it, too."""
    path = os.path.abspath(__file__)
    sc.addPyFile(path[:-1] if path.endswith(".pyc") else path)


def _tap(directory, recording, about, limit, mask):
    # Only plain data in here: with a checkpoint directory this function is pickled with the job.
    counts = {"batches": 0, "failed": 0, "told": False, "ranges": None}

    def save(moment, rdd):
        milliseconds = _milliseconds(moment)
        whole, mine = _shared(directory, recording, about)
        recorded = counts["failed"] < PATIENCE and counts["batches"] < limit
        counts["batches"] += 1
        try:
            ranges = _ranges(rdd)
            if ranges is not None:
                mine["latest"] = [milliseconds, ranges]
                if recorded:
                    mine["offsets"][str(milliseconds)] = ranges
            # the job goes on when the recording is complete: where it is must not be forgotten
            news = ranges is not None and (recorded or ranges != counts["ranges"])
            if news or (recorded and (counts["batches"] == 1 or counts["failed"])):
                text = json.dumps(whole, sort_keys=True)
                _write(rdd.context, directory + "/recording.json", text)
                counts["ranges"] = ranges
            if recorded:
                path = "%s/%s/%d" % (directory, mine["name"], milliseconds)
                rdd.mapPartitions(_lines(mask)).saveAsTextFile(path)
                counts["failed"] = 0
        except Exception:
            if recorded:
                counts["failed"] += 1
                mine["failed"].append(milliseconds)
            if not counts["told"]:
                counts["told"] = True
                what = "a batch of the stream %s was not recorded:"
                if not recorded:
                    what = "what the stream %s has read was not written down:"
                _say(what % mine["name"])
                traceback.print_exc(limit=1)
            if recorded and counts["failed"] == PATIENCE:
                _say("the stream %s is not recorded any further" % mine["name"])

    return save


def _shared(directory, recording, about):
    """The recording and the stream as all taps of this process see them.

    In a job that was restored from its checkpoint every tap has a copy of its own.
    """
    whole = _SHARED.setdefault(directory, recording)
    for mine in whole["streams"]:
        if mine["name"] == about["name"]:
            return whole, mine
    return recording, about


def _ranges(rdd):
    if not hasattr(rdd, "offsetRanges"):
        return None
    return [[r.topic, r.partition, r.fromOffset, r.untilOffset] for r in rdd.offsetRanges()]


def _say(text):
    print("record: " + text, file=sys.stderr)


def _milliseconds(moment):
    """A batch's time as Spark gives it, in local time, in ms."""
    if hasattr(moment, "fold"):  # it knows which one it is of two hours of the same name
        seconds = int(moment.replace(microsecond=0).timestamp())
    else:
        seconds = _seconds(moment.timetuple(), time.time())
    return seconds * 1000 + moment.microsecond // 1000


def _seconds(local, now):
    """Where clocks are set back, the last such moment that has come: batches run soon after it."""
    both = [int(time.mktime(local[:8] + (summer,))) for summer in (0, 1)]
    been = [s for s in both if time.localtime(s)[:6] == local[:6] and s <= now + 1]
    return max(been) if been else int(time.mktime(local[:8] + (-1,)))


def _lines(mask):
    def lines(elements):
        for element in elements:
            yield dumps(element if mask is None else mask(element))

    return lines


def _write(sc, path, text):
    """Write a small file through Hadoop, so that it lands where the executors write."""
    hadoop = sc._jvm.org.apache.hadoop.fs
    settings = sc._jsc.hadoopConfiguration()
    files = hadoop.Path(path).getFileSystem(settings)
    target, draft = [files.makeQualified(hadoop.Path(name)) for name in (path, path + ".draft")]
    stream = files.create(draft, True)
    stream.write(bytearray(text.encode("ascii")))
    stream.close()
    try:  # at once, where the file system can: the job may be killed at any moment
        how = sc._gateway.new_array(hadoop.Options.Rename, 1)
        how[0] = hadoop.Options.Rename.OVERWRITE
        hadoop.FileContext.getFileContext(target.toUri(), settings).rename(draft, target, how)
    except Exception:
        files.delete(target, False)
        files.rename(draft, target)


def dumps(value):
    """One element as one line of tagged JSON."""
    return json.dumps(encode(value), separators=(",", ":"))


def encode(value):
    """What JSON can hold of ``value``: an object with one key that starts with "$" says its type."""
    kind = type(value)
    if value is None or kind is bool or kind in _INTEGERS or kind is _TEXT:
        return value
    if kind in _ENCODERS:
        return _ENCODERS[kind](value)
    special = _special(kind, value)
    return _pickled(value) if special is None else special


def _special(kind, value):
    if kind.__name__ == "Row" and kind.__module__.startswith("pyspark.sql"):
        names = getattr(value, "__fields__", None)
        # made by another Row, or with names of its own
        template = type(names) is kind
        return {"$row": [names if names is None else list(names), _each(value), template]}
    if kind.__name__ == "ResultIterable" and kind.__module__.startswith("pyspark"):
        return {"$iterable": _each(value)}
    return None


def _each(values):
    return [encode(value) for value in values]


def _float(value):
    if value != value:
        return {"$float": "nan"}
    if value in (float("inf"), float("-inf")):
        return {"$float": "inf" if value > 0 else "-inf"}
    return value


def _moment(tag):
    def encoder(value):
        zone = value.tzinfo
        plain = zone is None or type(zone) is getattr(datetime, "timezone", None)
        if not plain:
            return _pickled(value)
        text = value.isoformat()
        return {tag: [text, 1] if getattr(value, "fold", 0) else text}

    return encoder


def _base64(tag):
    return lambda value: {tag: base64.b64encode(bytes(value)).decode("ascii")}


def _pickled(value):
    try:
        return {"$pickle": base64.b64encode(pickle.dumps(value, 2)).decode("ascii")}
    except Exception:
        return {"$lost": "%s.%s" % (type(value).__module__, type(value).__name__)}


_ENCODERS = {
    float: _float,
    complex: lambda value: {"$complex": [_float(value.real), _float(value.imag)]},
    list: _each,
    tuple: lambda value: {"$tuple": _each(value)},
    dict: lambda value: {"$dict": [_each(pair) for pair in value.items()]},
    set: lambda value: {"$set": _each(value)},
    frozenset: lambda value: {"$frozenset": _each(value)},
    bytearray: _base64("$bytearray"),
    datetime.datetime: _moment("$datetime"),
    datetime.time: _moment("$time"),
    datetime.date: lambda value: {"$date": value.isoformat()},
    datetime.timedelta: lambda value: {
        "$timedelta": [value.days, value.seconds, value.microseconds]
    },
    decimal.Decimal: lambda value: {"$decimal": str(value)},
    uuid.UUID: lambda value: {"$uuid": str(value)},
}
if PYTHON2:
    # What Python 2 calls str may be text or bytes: the reader decides.
    _ENCODERS[str] = lambda value: {"$py2str": value.decode("latin-1")}
else:
    _ENCODERS[bytes] = _base64("$bytes")
