# -*- coding: utf-8 -*-
"""Record the input and output of a DStream job, batch by batch.

Copy this one file next to the job (Python 2.7 or 3.5 and newer, Spark 2 and newer) and say what to record:

    import record

    recording = record.Recording("hdfs:///recordings/words", limit=100)
    lines = recording.input("lines", lines)
    counts = recording.output("counts", counts)

Both calls return the stream. The executors write each of its batches, one element per line, to
``<directory>/<name>/<batch time in ms>/part-<n>``; the driver only writes ``<directory>/recording.json``. A recorded
stream is computed one extra time per batch. A batch that cannot be recorded, because computing or writing it fails,
is left out; the first such failure is printed, and the job never fails because of it.

A recording contains the data of the job, customer data included: keep it where such data may be kept, or use ``mask``.
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
PATIENCE = 3  # failed batches in a row after which a stream is given up
PYTHON2 = sys.version_info[0] == 2

# unicode and long, in Python 2, without naming what Python 3 does not have
_TEXT = type(b"".decode("ascii"))
_INTEGERS = (int, type(2**100))

# Set while the job is being replayed: then streams are named, and nothing is written.
_REPLAYED = "DSTREAM_COMPAT_VERIFY"

# The content of recording.json, by directory: the streams of a recording share one file.
_SHARED = {}


class Recording(object):
    """A directory that streams are recorded into.

    ``directory``: any path that driver and executors can write to (hdfs:, s3a:, a mounted disk). Use a
    new one for every run: if it holds a recording already, nothing is recorded.
    ``limit``: how many batches of each stream to record, from the first one on. After that only the
    newest offset ranges of direct Kafka streams are saved, so that a migrated job can begin there.
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
        direct Kafka stream are recorded automatically.
        """
        return self._record("input", name, stream, mask, source=source, topics=list(topics))

    def output(self, name, stream, mask=None):
        """Record a stream that an output operation uses (pprint, foreachRDD, saveAsTextFiles)."""
        return self._record("output", name, stream, mask)

    def _record(self, role, name, stream, mask, **notes):
        if not re.match(r"^\w[\w.-]*$", name):
            raise ValueError(
                "the name of a recorded stream may have letters, digits, _ . and -, not %r" % name
            )
        known = [about["name"] for about in self._about["streams"]]
        if name in known:
            raise ValueError("two recorded streams have the same name, %r" % name)
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
    """Whether another run has recorded there: two runs in one directory would look like one."""
    path = sc._jvm.org.apache.hadoop.fs.Path(directory + "/recording.json")
    try:
        taken = path.getFileSystem(sc._jsc.hadoopConfiguration()).exists(path)
    except Exception:  # the first batch will tell
        return False
    if taken:
        _say(
            "%s already holds the recording of another run, so nothing is recorded; use a new "
            "directory for every run" % directory
        )
    return taken


def _ship(sc):
    """Executors run functions of this file, so they need it, too."""
    path = os.path.abspath(__file__)
    sc.addPyFile(path[:-1] if path.endswith(".pyc") else path)


def _tap(directory, recording, about, limit, mask):
    # Only plain data here: with a checkpoint directory, this function is pickled with the job.
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
            # the job reads on after the recording is complete: keep saving how far
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
                what = "could not record a batch of the stream %s:"
                if not recorded:
                    what = "could not save the offsets of the stream %s:"
                _say(what % mine["name"])
                traceback.print_exc(limit=1)
            if recorded and counts["failed"] == PATIENCE:
                _say("giving up on recording the stream %s" % mine["name"])

    return save


def _shared(directory, recording, about):
    """The recording and the stream, as all taps of this process share them.

    In a job restored from its checkpoint, every tap has its own copy.
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
    """The time of a batch, which Spark gives in local time, in ms."""
    if hasattr(
        moment, "fold"
    ):  # it tells apart the two hours of the same name when clocks are set back
        seconds = int(moment.replace(microsecond=0).timestamp())
    else:
        seconds = _seconds(moment.timetuple(), time.time())
    return seconds * 1000 + moment.microsecond // 1000


def _seconds(local, now):
    """If clocks were set back, the latest such moment that has passed: batches run soon after."""
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
    try:  # atomically, if the file system can: the job may be killed at any moment
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
    """``value`` for JSON: an object whose only key starts with "$" names the type."""
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
        # made by another Row, or with its own names
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
    # In Python 2, a str may be text or bytes: the reader decides.
    _ENCODERS[str] = lambda value: {"$py2str": value.decode("latin-1")}
else:
    _ENCODERS[bytes] = _base64("$bytes")
