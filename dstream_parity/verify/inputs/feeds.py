"""The batches that a job is fed, from recordings, text files and JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs import recording

Partitions = list[list[Any]]
OffsetRanges = tuple[tuple[str, int, int, int], ...]

START_MS = 1_704_067_200_000  # 2024-01-01 00:00 UTC: where batches begin if no times were recorded
ANY = "*"  # the name of an input that feeds every source
_JSON_LINES = (".jsonl", ".ndjson", ".json")
_TEXT = (
    "; if these are messages that the job parses, one per line, name the file .txt to feed it as "
    "one batch of text"
)


@dataclass(frozen=True)
class FeedInput:
    """The batches of one source.

    ``kind`` says what a batch is: ``files`` the bytes of a file, ``lines`` text, which the source
    turns into its elements, ``elements`` a list, ``partitions`` what the stream really had.
    """

    names: tuple[str, ...]
    """Names of the source that is fed from here; empty: whichever comes first."""
    kind: str
    batches: tuple[Any, ...]
    offsets: tuple[OffsetRanges, ...] = ()
    stream: str | None = None
    """The recorded stream, if it is one; its name and topics say which source it belongs to."""
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Feed:
    """All inputs of a run."""

    inputs: tuple[FeedInput, ...] = ()
    times: tuple[int, ...] = ()
    """Recorded batch times in ms; empty: there are none."""
    interval_ms: int | None = None
    count: int | None = None
    """How many batches to run; None: as many as the longest input has."""
    notes: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        return max([len(self.times), *(len(source.batches) for source in self.inputs)], default=0)


def split_key(text: str) -> tuple[str | None, str]:
    """``SOURCE=PATH`` taken apart; a path that exists as a whole has no source."""
    key, equals, path = text.partition("=")
    if not equals or os.path.exists(text):
        return None, text
    return key, path


def read_feed(inputs: Sequence[str], count: int | None, trust: bool) -> Feed:
    """What ``--input`` gives; raises Refused if a path cannot be read."""
    found: list[FeedInput] = []
    times: tuple[int, ...] = ()
    interval: int | None = None
    notes: list[str] = []
    for text in inputs:
        key, path = split_key(text)
        if not os.path.exists(path):
            raise Refused(f"--input {path}: no such file or directory")
        whole, stream = recording.split(path)
        if whole is not None:
            recorded = recording.read(whole, trust).only(stream)
            silent = [stream.name for stream in recorded.inputs if not stream.batches]
            if silent or not recorded.times:
                of_what = f" of its input {silent[0]}" if silent else ""
                raise Refused(f"--input {path}: the recording has no batches{of_what}")
            if interval is not None and (interval, times) != (recorded.batch_ms, recorded.times):
                raise Refused(
                    f"--input {path}: its batch times differ from those of the previous recording"
                )
            interval, times = recorded.batch_ms, recorded.times
            found.extend(_recorded_inputs(recorded, key, notes))
        elif path.endswith(_JSON_LINES):
            found.extend(_json_lines(path, key, trust))
        else:
            found.append(_text(path, key))
    return Feed(tuple(found), times, interval, count or len(times) or None, tuple(notes))


def _recorded_inputs(
    recorded: recording.RecordedRun, key: str | None, notes: list[str]
) -> list[FeedInput]:
    result = []
    for stream in recorded.inputs:
        missing = [time for time in recorded.times if time not in stream.batches]
        if missing:
            notes.append(
                f"{len(missing)} of {len(recorded.times)} batches of the recorded stream "
                f"{stream.name} are missing and were replayed empty"
            )
        names = (key,) if key is not None else ()
        batches = tuple(stream.batches.get(time, []) for time in recorded.times)
        offsets = tuple(stream.offsets.get(time, ()) for time in recorded.times)
        topics = {topic for ranges in offsets for topic, *_ in ranges}.union(stream.topics)
        result.append(
            FeedInput(
                names,
                "partitions",
                batches,
                offsets if stream.offsets else (),
                stream.name,
                frozenset(topics),
            )
        )
    return result


def _text(path: str, key: str | None) -> FeedInput:
    """A file is one batch; a directory has one batch per file, in the order of their names."""
    files = [path]
    if os.path.isdir(path):
        files = [entry.path for entry in os.scandir(path) if _is_batch(entry)]
        files.sort(key=os.path.basename)
        if not files:
            raise Refused(f"--input {path}: the directory has no files; each file is one batch")
    names = () if key is None else (key,)
    try:
        return FeedInput(names, "files", tuple(_read(file) for file in files))
    except OSError as error:
        raise Refused(f"--input {path}: {error.strerror}") from None


def _is_batch(entry: os.DirEntry[str]) -> bool:
    return entry.is_file() and not entry.name.startswith(".")


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _json_lines(path: str, key: str | None, trust: bool) -> list[FeedInput]:
    """A batch per line: a list of elements, or an object with a list per source."""
    columns: dict[str | None, list[list[Any]]] = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")  # not splitlines: JSON may hold U+2028 and the like
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"--input {path}: {type(error).__name__}") from None
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        try:
            batch = json.loads(line)
        except (ValueError, RecursionError):
            raise Refused(f"{where} is not JSON; each line is one batch: a list{_TEXT}") from None
        sources = batch if isinstance(batch, dict) else {key: batch}
        for source, elements in sources.items():
            if not isinstance(elements, list):
                got = type(elements).__name__
                raise Refused(f"{where}: a batch is a list, got {got}{_TEXT}")
            column = columns.setdefault(source, [])
            column.extend([] for _ in range(number - 1 - len(column)))
            column.append(recording.loads(json.dumps(elements), trust, where))
    if not columns:
        raise Refused(f"--input {path}: the file is empty; each line is one batch")
    return [
        FeedInput(() if source is None else (source,), "elements", tuple(batches))
        for source, batches in columns.items()
    ]


def lines_of(raw: bytes) -> list[str]:
    """The lines of a text file as the legacy engine reads them.

    >>> lines_of(b"a\\r\\nb\\n\\nc")
    ['a', 'b', '', 'c']
    """
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines
