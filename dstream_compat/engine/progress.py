"""Turns the progress of batches into listener events, errors and input rates."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dstream_compat.engine import events
from dstream_compat.engine.backpressure import Backpressure
from dstream_compat.engine.bus import ListenerBus
from dstream_compat.engine.grid import Grid
from dstream_compat.engine.metrics import StateUsage
from dstream_compat.engine.reports import Reports
from dstream_compat.graph.nodes import Output, Transform, ancestors, is_void
from dstream_compat.input.log import LogEntry

_RECEIVER_EVENTS = {
    "started": events.StreamingListenerReceiverStarted,
    "stopped": events.StreamingListenerReceiverStopped,
    "error": events.StreamingListenerReceiverError,
}


@dataclass
class _Batch:
    inputs: Mapping[int, events.StreamInputInfo]
    submitted: int
    announced: bool
    started: int = -1
    ended: int = -1
    outputs: dict[int, events.OutputOperationInfo] = field(default_factory=dict)


class ReceiverEvents:
    """Turns what happens to receivers into events for the listeners."""

    def __init__(self, bus: ListenerBus) -> None:
        self._bus = bus

    def __call__(self, kind: str, told: dict[str, Any]) -> None:
        info = events.ReceiverInfo(
            streamId=told["stream_id"],
            name=told["name"],
            active=told["active"],
            location=told["location"],
            executorId=told["executor_id"],
            lastErrorMessage=told["last_error_message"],
            lastError=told["last_error"],
            lastErrorTime=told["last_error_time"],
        )
        self._bus.post(_RECEIVER_EVENTS[kind](receiverInfo=info))


class Progress(Reports):
    """Follows every step of every batch; notifies listeners and adapts the rate of inputs.

    ``failed`` is called with the text of every error of a batch.
    """

    def __init__(
        self,
        bus: ListenerBus,
        outputs: Sequence[Output],
        grid: Grid,
        usage: StateUsage,
        backpressure: Backpressure,
        failed: Callable[[str], None],
    ) -> None:
        self._bus = bus
        self._grid = grid
        self._usage = usage
        self._backpressure = backpressure
        self._failed = failed
        self._batches: dict[int, _Batch] = {}
        nodes = ancestors([output.node for output in outputs])
        # legacy: a batch whose transforms fail is never announced; wait for them if there are any
        self._announces_early = not any(isinstance(node, Transform) for node in nodes)
        self._slides = {o.node.slide_ms for o in outputs if not is_void(o.node)}

    # -- called by the engine -----------------------------------------------------------------

    def streaming_started(self, now_ms: int) -> None:
        self._bus.post(events.StreamingListenerStreamingStarted(time=now_ms))

    def submitted(self, entry: LogEntry) -> None:
        inputs = {}
        for number, batch in entry.batches.items():
            if batch.info is not None:
                metadata = dict(batch.info.metadata)
                inputs[number] = events.StreamInputInfo(
                    inputStreamId=number,
                    numRecords=batch.info.records,
                    metadata=events.JavaMap(metadata),
                    metadataDescription=metadata.get("Description"),
                )
        # legacy: listeners do not hear of a batch without outputs
        announced = self._announces_early and any(
            self._grid.due(entry.tick, slide_ms) for slide_ms in self._slides
        )
        self._batches[entry.tick] = _Batch(inputs, entry.logged_ms, announced)
        if announced:
            self._post(events.StreamingListenerBatchSubmitted, entry.tick)

    # -- called by the sink -------------------------------------------------------------------

    def batch_started(self, tick: int, began_ms: int) -> None:
        batch = self._batches.setdefault(tick, _Batch({}, began_ms, False))
        if not batch.announced:
            self._post(events.StreamingListenerBatchSubmitted, tick)
        batch.started = began_ms
        self._post(events.StreamingListenerBatchStarted, tick)

    def output_started(self, tick: int, number: int, output: Output) -> None:
        info = _output_info(tick, number, output, startTime=_now())
        self._batches[tick].outputs[number] = info
        self._bus.post(events.StreamingListenerOutputOperationStarted(outputOperationInfo=info))

    def output_ended(self, tick: int, number: int, output: Output, error: str | None) -> None:
        started = self._batches[tick].outputs[number].startTime()
        info = _output_info(
            tick, number, output, startTime=started, endTime=_now(), failureReason=error
        )
        self._batches[tick].outputs[number] = info
        if error is not None:
            self._failed(error)
        self._bus.post(events.StreamingListenerOutputOperationCompleted(outputOperationInfo=info))

    def batch_ended(self, tick: int) -> None:
        batch = self._batches[tick]
        batch.ended = _now()
        self._post(events.StreamingListenerBatchCompleted, tick)
        records = {number: info.numRecords() for number, info in batch.inputs.items()}
        self._backpressure.adapt(records, batch.submitted, batch.started, batch.ended)

    def failed(self, tick: int, text: str) -> None:
        self._failed(text)

    def passed(self, tick: int, phase: int, last: bool) -> None:
        if last:
            self._batches.pop(tick, None)

    # -- helpers -------------------------------------------------------------------------------

    def _post(self, kind: Any, tick: int) -> None:
        batch = self._batches[tick]
        info = events.BatchInfo(
            batchTime=events.Time(tick),
            streamIdToInputInfo=events.JavaMap(batch.inputs),
            submissionTime=batch.submitted,
            processingStartTime=batch.started,
            processingEndTime=batch.ended,
            outputOperationInfos=events.JavaMap(dict(batch.outputs)),
            stateMetrics=tuple(self._usage.metrics()) if batch.ended >= 0 else (),
        )
        self._bus.post(kind(batchInfo=info))


def _output_info(tick: int, number: int, output: Output, **more: Any) -> events.OutputOperationInfo:
    return events.OutputOperationInfo(
        batchTime=events.Time(tick),
        id=number,
        name=output.site,
        description=output.site,
        **more,
    )


def _now() -> int:
    return int(time.time() * 1000)
