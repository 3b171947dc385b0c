"""The events a StreamingListener receives: plain records that read like Java objects.

Jobs written against the legacy listener read ``event.batchInfo().batchTime().milliseconds()``, so
every field is a method without arguments. Unknown numbers are -1, never None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, TypeVar, overload

from dstream_compat.engine.metrics import StateMetrics

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")

_REQUIRED: Any = object()


class Value(Generic[T]):
    """A field that is given to the constructor as a value and read back by a call."""

    def __init__(self, default: T = _REQUIRED) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, record: None, owner: type) -> T: ...
    @overload
    def __get__(self, record: object, owner: type) -> Callable[[], T]: ...
    def __get__(self, record: object | None, owner: type) -> T | Callable[[], T]:
        if record is not None:
            value: T = record.__dict__[self._name]
            return lambda: value
        if self._default is _REQUIRED:
            raise AttributeError(self._name)  # so that @dataclass sees a field with no default
        return self._default

    def __set__(self, record: object, value: T) -> None:
        record.__dict__[self._name] = value


class Record:
    """Equality and text for records made of :class:`Value` fields."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        named = (f"{f.name}={self.__dict__[f.name]!r}" for f in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(named)})"


@dataclass(frozen=True)
class Time:
    """A batch time.

    >>> print(Time(5000), Time(5000).milliseconds())
    5000 ms 5000
    """

    _milliseconds: int

    def milliseconds(self) -> int:
        return self._milliseconds

    def __str__(self) -> str:
        return f"{self._milliseconds} ms"


class JavaMap(Mapping[K, V]):
    """A read-only mapping that also answers to the names of ``java.util.Map``.

    >>> m = JavaMap({1: "a"})
    >>> m[1], m.get(2), m.size(), m.containsKey(1), m.isEmpty(), m == {1: "a"}
    ('a', None, 1, True, False, True)
    """

    def __init__(self, items: Mapping[K, V] | None = None) -> None:
        self._items = dict(items or {})

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items))

    def __repr__(self) -> str:
        return repr(self._items)

    def size(self) -> int:
        return len(self._items)

    def isEmpty(self) -> bool:
        return not self._items

    def containsKey(self, key: object) -> bool:
        return key in self._items

    def keySet(self) -> set[K]:
        return set(self._items)


@dataclass(frozen=True, eq=False, repr=False)
class StreamInputInfo(Record):
    """What one input stream brought to a batch."""

    inputStreamId: Value[int] = Value()
    numRecords: Value[int] = Value()
    metadata: Value[JavaMap[str, Any]] = Value(JavaMap())
    metadataDescription: Value[str | None] = Value(None)


@dataclass(frozen=True, eq=False, repr=False)
class OutputOperationInfo(Record):
    """One output operation of one batch; ``id`` counts the outputs due in that batch."""

    batchTime: Value[Time] = Value()
    id: Value[int] = Value()
    name: Value[str] = Value()
    description: Value[str] = Value("")
    startTime: Value[int] = Value(-1)
    endTime: Value[int] = Value(-1)
    failureReason: Value[str | None] = Value(None)


@dataclass(frozen=True, eq=False, repr=False)
class BatchInfo(Record):
    """One batch; times are milliseconds since the epoch, delays follow from them."""

    batchTime: Value[Time] = Value()
    streamIdToInputInfo: Value[JavaMap[int, StreamInputInfo]] = Value(JavaMap())
    submissionTime: Value[int] = Value(-1)
    processingStartTime: Value[int] = Value(-1)
    processingEndTime: Value[int] = Value(-1)
    outputOperationInfos: Value[JavaMap[int, OutputOperationInfo]] = Value(JavaMap())
    stateMetrics: Value[tuple[StateMetrics, ...]] = Value(())

    def schedulingDelay(self) -> int:
        return _between(self.submissionTime(), self.processingStartTime())

    def processingDelay(self) -> int:
        return _between(self.processingStartTime(), self.processingEndTime())

    def totalDelay(self) -> int:
        # legacy: counted from the submission, not from the batch time
        delays = self.schedulingDelay(), self.processingDelay()
        return -1 if -1 in delays else sum(delays)

    def numRecords(self) -> int:
        return sum(info.numRecords() for info in self.streamIdToInputInfo().values())


def _between(start: int, end: int) -> int:
    return -1 if -1 in (start, end) else end - start


@dataclass(frozen=True, eq=False, repr=False)
class ReceiverInfo(Record):
    """A receiver and its latest error, if any."""

    streamId: Value[int] = Value()
    name: Value[str] = Value()
    active: Value[bool] = Value()
    location: Value[str] = Value("")
    executorId: Value[str] = Value("")
    lastErrorMessage: Value[str] = Value("")
    lastError: Value[str] = Value("")
    lastErrorTime: Value[int] = Value(-1)


class Event(Record):
    """An event for listeners; ``callback`` names the method that receives it."""

    callback: ClassVar[str]


@dataclass(frozen=True, eq=False, repr=False)
class StreamingListenerStreamingStarted(Event):
    callback = "onStreamingStarted"
    time: Value[int] = Value()


@dataclass(frozen=True, eq=False, repr=False)
class _BatchEvent(Event):
    batchInfo: Value[BatchInfo] = Value()


class StreamingListenerBatchSubmitted(_BatchEvent):
    callback = "onBatchSubmitted"


class StreamingListenerBatchStarted(_BatchEvent):
    callback = "onBatchStarted"


class StreamingListenerBatchCompleted(_BatchEvent):
    callback = "onBatchCompleted"


@dataclass(frozen=True, eq=False, repr=False)
class _OutputOperationEvent(Event):
    outputOperationInfo: Value[OutputOperationInfo] = Value()


class StreamingListenerOutputOperationStarted(_OutputOperationEvent):
    callback = "onOutputOperationStarted"


class StreamingListenerOutputOperationCompleted(_OutputOperationEvent):
    callback = "onOutputOperationCompleted"


@dataclass(frozen=True, eq=False, repr=False)
class _ReceiverEvent(Event):
    receiverInfo: Value[ReceiverInfo] = Value()


class StreamingListenerReceiverStarted(_ReceiverEvent):
    callback = "onReceiverStarted"


class StreamingListenerReceiverError(_ReceiverEvent):
    callback = "onReceiverError"


class StreamingListenerReceiverStopped(_ReceiverEvent):
    callback = "onReceiverStopped"
