"""What each of the job's sources reads in the replay, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dstream_parity.verify.child import sites
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import ANY, Feed, OffsetRanges, Partitions, lines_of

ToElement = Callable[[Any], Any]


@dataclass(frozen=True)
class FedSource:
    """A source that the job made."""

    number: int
    kind: str
    """The method that made it."""
    place: str
    """``job.py:12``."""
    identity: tuple[str, ...]
    batches: tuple[Partitions, ...] | None
    """None: the job's own data, for a queueStream without ``--input``."""
    offsets: tuple[OffsetRanges, ...] = ()
    length: int = 0
    input: int | None = None
    """Which of the inputs feeds it, if any."""

    def __str__(self) -> str:
        return f"{self.number} ({self.kind} at {self.place})"


class FedSources:
    """Numbers the sources of a run and finds the input of each."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.made: list[FedSource] = []
        self._taken: dict[int, _Taken] = {}  # inputs by their place in the feed

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
    ) -> FedSource:
        """The job's next source; raises Refused if there is nothing to feed it with.

        ``partitions``: how many an empty batch has. ``from_line`` and ``from_element`` turn a line
        of text or an element of JSON lines into an element of the stream.
        """
        identity = (kind, *(str(name) for name in names))
        place = sites.place(*sites.caller())
        number = len(self.made)
        at = self._find(number, identity, f"source {number} ({kind} at {place})")
        found = None if at is None else self.feed.inputs[at]
        if found is None:  # a second receiver; the first one gets everything
            batches: list[Partitions] = []
        else:
            convert = _Converter(from_line, from_element or _same, partitions, record_length)
            batches = [convert.batch(found.kind, batch) for batch in found.batches]
        count = max(self.feed.length, len(batches))
        batches += [[[] for _ in range(partitions)] for _ in range(count - len(batches))]
        offsets: tuple[OffsetRanges, ...] = ()
        if topics:
            offsets = (found.offsets if found else ()) or _offsets(topics[0], batches)
        source = FedSource(number, kind, place, identity, tuple(batches), offsets, len(batches), at)
        self.made.append(source)
        return source

    def own(self, kind: str, length: int) -> FedSource | None:
        """A queue that the job fills itself; None if ``--input`` names it and will feed it."""
        number = len(self.made)
        if any({str(number), kind} & {*given.names, given.stream} for given in self.feed.inputs):
            return None
        source = FedSource(number, kind, sites.place(*sites.caller()), (kind,), None, (), length)
        self.made.append(source)
        return source

    def check_all_used(self) -> list[str]:
        """What matches no source: notes on recorded streams, Refused for anything else."""
        notes = []
        listed = ", ".join(map(str, self.made)) or "none"
        for at, given in enumerate(self.feed.inputs):
            taken = self._taken.get(at)
            if taken is not None and taken.in_order and given.stream is not None:
                if len(self.made) > 1:
                    notes.append(
                        f"the recorded stream {given.stream} was matched with {taken.title} by "
                        "position: neither its name nor a topic says which source it belongs to"
                    )
            elif taken is not None or ANY in given.names:
                continue
            elif given.stream is not None:
                notes.append(f"no source reads the recorded stream {given.stream}")
            elif given.names:
                raise Refused(
                    f"the job has no source called {given.names[0]}; its sources are: {listed}"
                )
            else:
                option = self._option(0)
                raise Refused(
                    f"one {option.split()[0]} matches no source of the job: a queueStream keeps "
                    f"its own batches unless you name it ({option}); the sources are: {listed}"
                )
        return notes

    def check_tap(self, source: FedSource, name: str) -> None:
        """Raises Refused if the job records a source under a different name than the recording."""
        at = source.input
        if at is not None and self._taken[at].in_order:
            streams = [given.stream for given in self.feed.inputs]
            if name != streams[at] and name in streams:
                raise self._mistaken(at, f"the job calls source {source} {name}")

    def _find(self, number: int, identity: tuple[str, ...], title: str) -> int | None:
        """The index of its input in the feed. None: it is a second receiver and gets nothing."""
        inputs = self.feed.inputs
        wanted = {str(number), *identity}
        called = [at for at, given in enumerate(inputs) if wanted & set(given.names)]
        if not called:
            called = self._recorded_as(set(identity))
        for at in called:
            if at not in self._taken:
                return self._take(at, identity, title)
        if any(self._taken[at].identity == identity for at in called):
            return None
        if called and self._taken[called[0]].in_order:
            raise self._mistaken(called[0], f"{title} has its name")
        found = self._find_unnamed(identity, title, may_take=not called)
        if found is not None:
            return found
        if any(taken.identity == identity for taken in self._taken.values()):
            return None
        if not inputs:
            raise Refused(
                f"the job reads from {title}: give it batches with --input PATH (a recording, a "
                "text file per batch, JSON lines with a batch per line) or --sample FILE"
            )
        raise Refused(
            f"no batches were given for {title}: use {self._option(number)}, by number, name or "
            "topic"
        )

    def _find_unnamed(self, identity: tuple[str, ...], title: str, *, may_take: bool) -> int | None:
        """The input that is for any source, or else the next one that is for none by name."""
        for at, given in enumerate(self.feed.inputs):
            if ANY in given.names:
                return at
        for at, given in enumerate(self.feed.inputs):
            if may_take and not given.names and at not in self._taken:
                return self._take(at, identity, title, in_order=True)
        return None

    def _option(self, number: int) -> str:
        sampled = all(given.kind == "lines" for given in self.feed.inputs)
        return f"--sample {number}=FILE" if sampled else f"--input {number}=PATH"

    def _recorded_as(self, identity: set[str]) -> list[int]:
        """The recorded streams of a source: those that share topics, most first, or its name."""
        shared = [(-len(identity & given.topics), at) for at, given in enumerate(self.feed.inputs)]
        by_topic = [at for count, at in sorted(shared) if count]
        return by_topic or [
            at for at, given in enumerate(self.feed.inputs) if given.stream in identity
        ]

    def _take(
        self, at: int, identity: tuple[str, ...], title: str, *, in_order: bool = False
    ) -> int:
        self._taken[at] = _Taken(identity, title, in_order)
        return at

    def _mistaken(self, at: int, but: str) -> Refused:
        return Refused(
            f"the recorded stream {self.feed.inputs[at].stream} was matched with "
            f"{self._taken[at].title} by position, but {but}: say which recorded stream feeds "
            "which source with --input SOURCE=RECORDING/STREAM"
        )


@dataclass(frozen=True)
class _Taken:
    """Who has an input."""

    identity: tuple[str, ...]
    title: str
    in_order: bool
    """It was the first one left; nothing else says that it belongs there."""


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
    """In two partitions, so that anything that depends on them shows; empty: in ``at_least``.

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
