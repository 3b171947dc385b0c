"""How batches go: listener events, errors, and the rate receivers are allowed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from dstream_compat.base import settings
from dstream_compat.base.settings import Conf
from dstream_compat.engine import events
from dstream_compat.engine.metrics import StateMetrics
from dstream_compat.engine.sink import Reports
from dstream_compat.graph.nodes import Output, Transform, ancestors, is_void
from dstream_compat.input.log import Entry
from dstream_compat.input.rate import PIDRateEstimator
from dstream_compat.listener import ListenerBus

_RECEIVER_EVENTS = {
    "started": events.StreamingListenerReceiverStarted,
    "stopped": events.StreamingListenerReceiverStopped,
    "error": events.StreamingListenerReceiverError,
}


class Adaptable(Protocol):
    """An input that can be told to go slower."""

    def update_rate(self, rate: float) -> None: ...


@dataclass
class _Batch:
    inputs: Mapping[int, events.StreamInputInfo]
    submitted: int
    announced: bool
    started: int = -1
    ended: int = -1
    outputs: dict[int, events.OutputOperationInfo] = field(default_factory=dict)


class Progress(Reports):
    """Hears of every step of every batch; tells the listeners and adapts the receivers' rate."""

    def __init__(
        self,
        bus: ListenerBus,
        outputs: Sequence[Output],
        interval_ms: int,
        conf: Conf,
        failed: Callable[[str], None],
    ) -> None:
        self._bus = bus
        self._failed = failed
        self._batches: dict[int, _Batch] = {}
        self._receivers: dict[int, Adaptable] = {}
        self._estimators: dict[int, PIDRateEstimator] = {}
        self._interval = interval_ms
        self._conf = conf
        nodes = ancestors([output.node for output in outputs])
        # legacy: a batch whose transforms fail is never announced; wait for them if there are any
        self._announces_early = not any(isinstance(node, Transform) for node in nodes)
        self._slides = {o.node.slide_ms for o in outputs if not is_void(o.node)}
        self.zero_time = 0
        self.state: Callable[[], list[StateMetrics]] = list
        self.done: tuple[int, int] = (0, 0)  # tick and phase

    def watch(self, number: int, receiver: Adaptable) -> None:
        """Adapt this input's rate to how fast batches go, where backpressure is on."""
        if settings.flag(self._conf, "spark.streaming.backpressure.enabled"):
            self._receivers[number] = receiver
            self._estimators[number] = _estimator(self._conf, self._interval)

    # -- what the engine tells -----------------------------------------------------------------

    def streaming_started(self, now_ms: int) -> None:
        self._bus.post(events.StreamingListenerStreamingStarted(time=now_ms))

    def receiver_event(self, kind: str, told: dict[str, Any]) -> None:
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

    def submitted(self, entry: Entry) -> None:
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
        # legacy: a batch without outputs is not told of
        announced = self._announces_early and any(
            (entry.tick - self.zero_time) % slide_ms == 0 for slide_ms in self._slides
        )
        self._batches[entry.tick] = _Batch(inputs, entry.logged_ms, announced)
        if announced:
            self._post(events.StreamingListenerBatchSubmitted, entry.tick)

    # -- what the sink tells -------------------------------------------------------------------

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
        self._adapt(batch)

    def failed(self, tick: int, text: str) -> None:
        self._failed(text)

    def passed(self, tick: int, phase: int, last: bool) -> None:
        if last:
            self._batches.pop(tick, None)
        self.done = (tick, phase)

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
            stateMetrics=tuple(self.state()) if batch.ended >= 0 else (),
        )
        self._bus.post(kind(batchInfo=info))

    def _adapt(self, batch: _Batch) -> None:
        for number, receiver in self._receivers.items():
            records = batch.inputs[number].numRecords() if number in batch.inputs else 0
            rate = self._estimators[number].compute(
                batch.ended,
                records,
                batch.ended - batch.started,
                max(0, batch.started - batch.submitted),
            )
            if rate is not None:
                receiver.update_rate(rate)


def _output_info(tick: int, number: int, output: Output, **more: Any) -> events.OutputOperationInfo:
    return events.OutputOperationInfo(
        batchTime=events.Time(tick),
        id=number,
        name=output.site,
        description=output.site,
        **more,
    )


def _estimator(conf: Conf, interval_ms: int) -> PIDRateEstimator:
    prefix = "spark.streaming.backpressure.pid."
    return PIDRateEstimator(
        interval_ms,
        settings.number(conf, prefix + "proportional", 1.0) or 0.0,
        settings.number(conf, prefix + "integral", 0.2) or 0.0,
        settings.number(conf, prefix + "derived", 0.0) or 0.0,
        settings.number(conf, prefix + "minRate", 100.0) or 100.0,
    )


def _now() -> int:
    return int(time.time() * 1000)
