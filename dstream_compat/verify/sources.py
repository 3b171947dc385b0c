"""The job's sources, fed from the replay: what each would have read, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dstream_compat.verify import sites
from dstream_compat.verify.errors import Refused
from dstream_compat.verify.feeds import ANY, Feed, Input, OffsetRanges, Partitions, lines_of

ToElement = Callable[[Any], Any]


@dataclass(frozen=True)
class Source:
    """A source that the job made."""

    number: int
    kind: str
    """The method that made it."""
    place: str
    """``job.py:12``."""
    identity: tuple[str, ...]
    batches: tuple[Partitions, ...] | None
    """None: the job's own data, a queueStream without ``--input``."""
    offsets: tuple[OffsetRanges, ...] = ()
    length: int = 0

    def __str__(self) -> str:
        return f"{self.number} ({self.kind} at {self.place})"


class Sources:
    """Numbers the sources of a run and finds the input of each."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.made: list[Source] = []
        self._taken: dict[int, tuple[str, ...]] = {}  # inputs by their place in the feed

    def make(
        self,
        kind: str,
        names: Sequence[Any],
        from_line: ToElement = str,
        *,
        partitions: int = 0,
        record_length: int | None = None,
        from_element: ToElement | None = None,
        topics: Sequence[str] = (),
    ) -> Source:
        """The next source of the job; raises Refused if there is nothing to feed it with.

        ``partitions``: how many an empty batch has. ``from_line`` and ``from_element`` make what
        the stream has of a line of text or of an element of JSON lines.
        """
        identity = (kind, *(str(name) for name in names))
        place = sites.place(*sites.caller())
        number = len(self.made)
        found = self._find(number, identity, f"source {number} ({kind} at {place})")
        if found is None:  # a second receiver of what is fed to the first one
            batches: list[Partitions] = []
        else:
            convert = _Converter(from_line, from_element or _same, partitions, record_length)
            batches = [convert.batch(found.kind, batch) for batch in found.batches]
        count = max(self.feed.length, len(batches))
        batches += [[[] for _ in range(partitions)] for _ in range(count - len(batches))]
        offsets: tuple[OffsetRanges, ...] = ()
        if topics:
            offsets = (found.offsets if found else ()) or _offsets(topics[0], batches)
        source = Source(number, kind, place, identity, tuple(batches), offsets, len(batches))
        self.made.append(source)
        return source

    def own(self, kind: str, length: int) -> Source | None:
        """A queue that the job fills itself; None if ``--input`` is to feed it."""
        number = len(self.made)
        if any(str(number) in given.names or kind in given.names for given in self.feed.inputs):
            return None
        source = Source(number, kind, sites.place(*sites.caller()), (kind,), None, (), length)
        self.made.append(source)
        return source

    def check_all_used(self) -> list[str]:
        """What was given and is for no source: notes on recordings, Refused for all else."""
        notes = []
        listed = ", ".join(map(str, self.made)) or "none"
        for at, given in enumerate(self.feed.inputs):
            if at in self._taken or ANY in given.names:
                continue
            if given.kind == "partitions":
                notes.append(f"the recorded stream {given.names[:2][-1]} is read by no source")
            elif given.names:
                raise Refused(
                    f"no source of the job is called {given.names[0]}; its sources are: {listed}"
                )
            else:
                raise Refused(
                    "an --input is for no source of the job: a queueStream keeps its own batches "
                    f"unless it is named (--input 0=PATH); the sources are: {listed}"
                )
        return notes

    def _find(self, number: int, identity: tuple[str, ...], title: str) -> Input | None:
        wanted = {str(number), *identity}
        for at, given in enumerate(self.feed.inputs):
            if wanted & set(given.names):
                if at in self._taken:
                    return None
                self._taken[at] = identity
                return given
        for given in self.feed.inputs:
            if ANY in given.names:
                return given
        for at, given in enumerate(self.feed.inputs):
            if not given.names and at not in self._taken:
                self._taken[at] = identity
                return given
        if identity in self._taken.values():
            return None
        if not self.feed.inputs:
            raise Refused(
                f"the job reads from {title}: give it batches with --input PATH (a recording, a "
                "text file per batch, JSON lines with a batch per line) or --sample FILE"
            )
        raise Refused(
            f"nothing was given for {title}: say --input {number}=PATH, by number, name or topic"
        )


@dataclass(frozen=True)
class _Converter:
    from_line: ToElement
    from_element: ToElement
    partitions: int
    record_length: int | None

    def batch(self, kind: str, batch: Any) -> Partitions:
        if kind == "partitions":
            return [list(partition) for partition in batch]
        if kind == "files" and self.record_length is not None:
            length = self.record_length
            elements = [batch[at : at + length] for at in range(0, len(batch), length)]
        elif kind == "files":
            elements = [self.from_line(line) for line in lines_of(batch)]
        elif kind == "lines":
            elements = [self.from_line(line) for line in batch]
        else:
            elements = [
                self.from_line(element) if isinstance(element, str) else self.from_element(element)
                for element in batch
            ]
        return dealt(elements, self.partitions)


def dealt(elements: list[Any], at_least: int) -> Partitions:
    """Two partitions, so that what depends on them shows; an empty batch has ``at_least``.

    >>> dealt([1, 2, 3], 0), dealt([], 0), dealt([1], 2)
    ([[1, 2], [3]], [], [[1], []])
    """
    half = (len(elements) + 1) // 2
    parts = [part for part in (elements[:half], elements[half:]) if part]
    return parts + [[] for _ in range(at_least - len(parts))]


def _same(element: Any) -> Any:
    return element


def _offsets(topic: str, batches: Sequence[Partitions]) -> tuple[OffsetRanges, ...]:
    """Offset ranges as a topic with a partition per RDD partition would have them."""
    reached: dict[int, int] = {}
    result = []
    for batch in batches:
        ranges = []
        for number, elements in enumerate(batch):
            start = reached.get(number, 0)
            reached[number] = start + len(elements)
            ranges.append((topic, number, start, reached[number]))
        result.append(tuple(ranges))
    return tuple(result)
