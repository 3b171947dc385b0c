"""Reads what ``record.py`` wrote: tagged JSON, and directories of it."""

from __future__ import annotations

import base64
import bz2
import datetime
import decimal
import gzip
import json
import os
import re
import uuid
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs import pickled

FORMAT = 1
_PART = re.compile(r"part-(\d+)(\.\w+)?")


@dataclass(frozen=True)
class RecordedStream:
    """One stream of a recording."""

    path: str
    name: str
    role: str
    """``input`` or ``output``."""
    number: int
    masked: bool
    topics: tuple[str, ...]
    offsets: dict[int, tuple[tuple[str, int, int, int], ...]]
    """By batch time: topic, partition, first offset, and the offset after the last."""
    trust: bool
    failed: frozenset[int] = frozenset()
    """Batches that could not be recorded: computing them failed, or writing them."""

    @cached_property
    def batches(self) -> dict[int, list[list[Any]]]:
        """The partitions of every recorded batch, by batch time in ms."""
        entries = os.listdir(self.path) if os.path.isdir(self.path) else ()
        known = {int(entry): os.path.join(self.path, entry) for entry in entries if entry.isdigit()}
        # Hadoop's committer moves the parts here at the end; before, there is nothing. One that
        # fails leaves an empty directory; whether it marks success elsewhere depends on settings.
        marked = {time for time, path in known.items() if os.path.exists(f"{path}/_SUCCESS")}
        return {
            time: [list(part) for part in _parts(path, self.trust)]
            for time, path in sorted(known.items())
            if time not in self.failed
            and (time in marked or not marked)
            and not os.path.isdir(f"{path}/_temporary")
        }


@dataclass(frozen=True)
class RecordedRun:
    """A directory that ``record.py`` wrote."""

    path: str
    spark: str
    python: str
    batch_ms: int
    streams: tuple[RecordedStream, ...]

    @property
    def inputs(self) -> list[RecordedStream]:
        return [stream for stream in self.streams if stream.role == "input"]

    @property
    def outputs(self) -> list[RecordedStream]:
        return [stream for stream in self.streams if stream.role == "output"]

    @cached_property
    def times(self) -> tuple[int, ...]:
        """All batch times without gaps, from the first recorded to the last that every input has.

        After that there is nothing to feed: outputs that slide more slowly are recorded for longer.
        """
        known = sorted({time for stream in self.streams for time in stream.batches})
        if not known:
            return ()
        last = min([known[-1], *(max(stream.batches, default=0) for stream in self.inputs)])
        return tuple(range(known[0], last + 1, self.batch_ms))

    def only(self, stream: str | None) -> RecordedRun:
        """With this input only; None: with all. The batch times stay those of all inputs."""
        if stream is None:
            return self
        left = tuple(each for each in self.streams if each.role != "input" or each.name == stream)
        if not any(each.role == "input" for each in left):
            raise Refused(f"--input {self.path}: no input stream called {stream} was recorded")
        made = replace(self, streams=left)
        made.__dict__["times"] = self.times
        return made


def is_recording(path: str) -> bool:
    """Whether ``path`` is a directory with a recording."""
    return os.path.isfile(os.path.join(path, "recording.json"))


def split(path: str) -> tuple[str | None, str | None]:
    """A recording and None, or the recording that a stream lies in and the stream; or nothing."""
    if is_recording(path):
        return path, None
    whole, stream = os.path.split(os.path.abspath(path))
    return (whole, stream) if os.path.isdir(path) and is_recording(whole) else (None, None)


def read(path: str, trust: bool = False) -> RecordedRun:
    """The recording in ``path``; with ``trust``, pickled elements may be loaded."""
    try:
        with open(os.path.join(path, "recording.json"), encoding="ascii") as file:
            about = json.load(file)
        if about["format"] != FORMAT:
            raise Refused(
                f"{path} is a recording of format {about['format']}, and this version reads format "
                f"{FORMAT}: use the record.py of this version"
            )
        return RecordedRun(
            path,
            str(about["spark"]),
            str(about["python"]),
            int(about["batch_ms"]),
            tuple(_stream(path, entry, trust) for entry in about["streams"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused(
            f"{path} has no readable recording.json ({type(error).__name__}); copy the whole "
            "directory that record.py wrote"
        ) from None


def _stream(path: str, about: dict[str, Any], trust: bool) -> RecordedStream:
    offsets = {
        int(time): tuple((str(topic), int(part), int(a), int(b)) for topic, part, a, b in ranges)
        for time, ranges in about.get("offsets", {}).items()
    }
    return RecordedStream(
        os.path.join(path, about["name"]),
        about["name"],
        about["role"],
        int(about["number"]),
        bool(about.get("masked")),
        tuple(about.get("topics") or ()),
        offsets,
        trust,
        frozenset(map(int, about.get("failed", ()))),
    )


def _parts(directory: str, trust: bool) -> Iterator[list[Any]]:
    numbered = sorted(
        (int(match[1]), name, match[2])
        for name in os.listdir(directory)
        if (match := _PART.fullmatch(name))
    )
    for _, name, suffix in numbered:
        path = os.path.join(directory, name)
        lines = _unpacked(path, suffix or "").split(b"\n")
        if lines[-1] == b"":
            lines.pop()
        yield [loads(line, trust, f"{path}:{n}") for n, line in enumerate(lines, 1)]


def _unpacked(path: str, suffix: str) -> bytes:
    """A part's content; a cluster may be configured to compress everything it writes."""
    if suffix not in _UNPACK:
        raise Refused(f"{path} is compressed in an unknown format: unpack it")
    try:
        with open(path, "rb") as file:
            return _UNPACK[suffix](file.read())
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(f"{path} cannot be read ({type(error).__name__})") from None


_UNPACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".deflate": zlib.decompress,
}


def loads(line: str | bytes, trust: bool = False, where: str = "input") -> Any:
    """The element in a line of tagged JSON; ``where`` is for the error message.

    >>> loads('{"$tuple": ["a", 1, {"$float": "inf"}]}')
    ('a', 1, inf)
    """
    try:
        return decode(json.loads(line), trust)
    except Refused as refused:
        raise Refused(f"{where}: {refused}") from None
    except Exception as error:  # or anything that the code of a pickle raises
        raise Refused(f"{where} is not tagged JSON ({type(error).__name__})") from None


def decode(value: Any, trust: bool = False) -> Any:
    """The element that a JSON value stands for. Objects without a "$" key are plain dicts."""
    if isinstance(value, list):
        return [decode(item, trust) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (tag, content), *_ = value.items()
        if tag == "$pickle":
            return _unpickled(content, trust)
        if tag == "$lost":
            raise Refused(
                f"an element of type {content} could not be recorded: record it with a mask"
            )
        if tag in _CONTAINERS:
            return _CONTAINERS[tag](decode(content, trust))
        if tag in _SCALARS:
            return _SCALARS[tag](content)
        if tag.startswith("$"):
            raise Refused(f"unknown tag {tag}")
    return {key: decode(item, trust) for key, item in value.items()}


def _unpickled(content: str, trust: bool) -> Any:
    if not trust:
        raise Refused(
            "it contains pickled elements, and loading them runs code: use --trust if you know "
            "where it comes from"
        )
    return pickled.load(base64.b64decode(content))


def _row(content: list[Any]) -> Any:
    from pyspark.sql import Row
    from pyspark.sql.types import _create_row

    names, values, template = content
    if names is None:
        return Row(*values)
    return _create_row(Row(*names) if template else names, values)


def _iterable(content: list[Any]) -> Any:
    from pyspark.resultiterable import ResultIterable

    return ResultIterable(content)


def _moment(kind: Any, content: Any) -> Any:
    """A pair if the hour is the second of its kind, after clocks were set back."""
    text, fold = (content, 0) if isinstance(content, str) else content
    return kind.fromisoformat(text).replace(fold=fold)


def _python2_str(content: str) -> str | bytes:
    """To Python 2, ASCII text and bytes were equal; here it becomes text if it can."""
    raw = content.encode("latin-1")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw


_CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "$tuple": tuple,
    "$dict": dict,
    "$set": set,
    "$frozenset": frozenset,
    "$row": _row,
    "$iterable": _iterable,
    "$complex": lambda parts: complex(*parts),
}
_SCALARS: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$bytes": base64.b64decode,
    "$bytearray": lambda text: bytearray(base64.b64decode(text)),
    "$py2str": _python2_str,
    "$datetime": lambda content: _moment(datetime.datetime, content),
    "$time": lambda content: _moment(datetime.time, content),
    "$date": datetime.date.fromisoformat,
    "$timedelta": lambda parts: datetime.timedelta(*parts),
    "$decimal": decimal.Decimal,
    "$uuid": uuid.UUID,
}
