from __future__ import annotations

import inspect
import logging
import pickle
import threading
from typing import Any

import pytest

from dstream_compat.engine import events as ev
from dstream_compat.engine.bus import ListenerBus
from dstream_compat.listener import StreamingListener

LIMIT = 10.0

INFO = ev.BatchInfo(
    batchTime=ev.Time(3000),
    streamIdToInputInfo=ev.JavaMap(
        {
            0: ev.StreamInputInfo(inputStreamId=0, numRecords=4),
            7: ev.StreamInputInfo(inputStreamId=7, numRecords=5),
        }
    ),
    submissionTime=3010,
    processingStartTime=3015,
    processingEndTime=3100,
)
RECEIVER = ev.ReceiverInfo(streamId=0, name="SocketReceiver-0", active=True)
OUTPUT = ev.OutputOperationInfo(batchTime=ev.Time(3000), id=0, name="out")
ONE_OF_EACH: list[ev.Event] = [
    ev.StreamingListenerStreamingStarted(time=1),
    ev.StreamingListenerReceiverStarted(receiverInfo=RECEIVER),
    ev.StreamingListenerReceiverError(receiverInfo=RECEIVER),
    ev.StreamingListenerReceiverStopped(receiverInfo=RECEIVER),
    ev.StreamingListenerBatchSubmitted(batchInfo=INFO),
    ev.StreamingListenerBatchStarted(batchInfo=INFO),
    ev.StreamingListenerOutputOperationStarted(outputOperationInfo=OUTPUT),
    ev.StreamingListenerOutputOperationCompleted(outputOperationInfo=OUTPUT),
    ev.StreamingListenerBatchCompleted(batchInfo=INFO),
]


def callbacks(cls: type) -> dict[str, str]:
    """Names and parameters only: annotations are not part of what a job relies on."""
    return {
        name: str([p.replace(annotation=p.empty) for p in inspect.signature(f).parameters.values()])
        for name, f in inspect.getmembers(cls, inspect.isfunction)
        if name.startswith("on") or name == "__init__"
    }


class Recorder(StreamingListener):
    """Appends (callback, event) to ``heard``."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on"):
            return lambda event: self.heard.append((name, event))
        return super().__getattribute__(name)


def test_callbacks_have_the_installed_names_and_signatures() -> None:
    legacy = pytest.importorskip("pyspark.streaming.listener")
    assert callbacks(StreamingListener) == callbacks(legacy.StreamingListener)
    assert len(callbacks(StreamingListener)) == 10


def test_every_event_reaches_its_own_callback_in_order() -> None:
    bus, recorder = ListenerBus(), Recorder()
    bus.add(recorder)
    for event in ONE_OF_EACH:
        bus.post(event)
    assert bus.stop(LIMIT)
    assert [event for _, event in recorder.heard] == ONE_OF_EACH
    assert {name for name, _ in recorder.heard} == set(callbacks(StreamingListener)) - {"__init__"}
    for name, event in recorder.heard:
        assert name == "on" + type(event).__name__.removeprefix("StreamingListener")


def test_delays_are_counted_from_the_submission() -> None:
    assert (INFO.schedulingDelay(), INFO.processingDelay(), INFO.totalDelay()) == (5, 85, 90)
    assert INFO.batchTime().milliseconds() == 3000
    assert INFO.numRecords() == 9


def test_what_is_not_known_yet_is_minus_one() -> None:
    submitted = ev.BatchInfo(batchTime=ev.Time(1), submissionTime=5)
    started = ev.BatchInfo(batchTime=ev.Time(1), submissionTime=5, processingStartTime=6)
    delays = [
        (i.schedulingDelay(), i.processingDelay(), i.totalDelay()) for i in (submitted, started)
    ]
    assert delays == [(-1, -1, -1), (1, -1, -1)]
    assert submitted.processingStartTime() == submitted.processingEndTime() == -1
    assert OUTPUT.endTime() == -1
    assert OUTPUT.failureReason() is None
    assert RECEIVER.lastErrorTime() == -1


def test_input_infos_read_as_a_dict_and_as_a_java_map() -> None:
    infos = INFO.streamIdToInputInfo()
    assert sorted(infos) == [0, 7]
    assert infos.get(7) is infos[7]
    assert infos.keySet() == {0, 7}
    assert infos.size() == len(infos) == 2
    assert infos.containsKey(7)
    assert not infos.containsKey(1)
    assert infos.get(1) is None
    assert not infos.isEmpty()
    assert ev.BatchInfo(batchTime=ev.Time(1)).streamIdToInputInfo().isEmpty()
    assert infos[0].metadata() == {}
    assert infos[0].metadataDescription() is None


def test_records_are_frozen_comparable_and_picklable() -> None:
    assert pickle.loads(pickle.dumps(INFO)) == INFO
    assert ev.BatchInfo(batchTime=ev.Time(3000)) != INFO
    assert "processingStartTime=3015" in repr(INFO)
    with pytest.raises(AttributeError):
        INFO.submissionTime = 1  # type: ignore[misc]
    with pytest.raises(TypeError, match="batchTime"):
        ev.BatchInfo()


def test_a_failing_listener_is_logged_and_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(StreamingListener):
        def onStreamingStarted(self, streamingStarted: Any) -> None:
            raise SystemExit("out of the listener")

    bus, recorder = ListenerBus(), Recorder()
    bus.add(Failing())
    bus.add(recorder)
    with caplog.at_level(logging.ERROR):
        for event in ONE_OF_EACH:
            bus.post(event)
        assert bus.stop(LIMIT)
    assert [event for _, event in recorder.heard] == ONE_OF_EACH
    assert [r.getMessage() for r in caplog.records] == [
        "A StreamingListener raised in onStreamingStarted"
    ]
    assert "out of the listener" in caplog.text


class Blocking(StreamingListener):
    """Stays in its first callback until ``go`` is set."""

    def __init__(self) -> None:
        self.entered, self.go, self.left = (threading.Event() for _ in range(3))
        self.calls = 0

    def onStreamingStarted(self, streamingStarted: Any) -> None:
        self.calls += 1
        self.entered.set()
        assert self.go.wait(LIMIT)
        self.left.set()


def test_post_does_not_wait_and_stop_delivers_what_is_queued() -> None:
    bus, blocking, recorder = ListenerBus(), Blocking(), Recorder()
    bus.add(blocking)
    bus.add(recorder)
    for event in ONE_OF_EACH:
        bus.post(event)
    assert blocking.entered.wait(LIMIT)
    assert recorder.heard == []
    blocking.go.set()
    assert bus.stop(LIMIT)
    assert [event for _, event in recorder.heard] == ONE_OF_EACH


def test_after_stop_nothing_is_delivered() -> None:
    bus, recorder = ListenerBus(), Recorder()
    bus.add(recorder)
    bus.post(ONE_OF_EACH[0])
    assert bus.stop(LIMIT)
    bus.post(ONE_OF_EACH[1])
    assert bus.stop(LIMIT)
    assert len(recorder.heard) == 1


def test_a_stop_that_times_out_drops_the_queue() -> None:
    bus, blocking = ListenerBus(), Blocking()
    bus.add(blocking)
    bus.post(ONE_OF_EACH[0])
    bus.post(ONE_OF_EACH[0])
    assert blocking.entered.wait(LIMIT)
    assert not bus.stop(0.01)
    blocking.go.set()
    assert blocking.left.wait(LIMIT)
    assert bus.stop(LIMIT)
    assert blocking.calls == 1


def test_only_a_callback_is_in_the_bus_thread_and_may_stop_without_waiting_for_itself() -> None:
    bus, inside = ListenerBus(), []

    class Stopping(StreamingListener):
        def onStreamingStarted(self, streamingStarted: Any) -> None:
            inside.append(bus.in_bus_thread())
            inside.append(bus.stop(LIMIT))

    bus.add(Stopping())
    bus.post(ONE_OF_EACH[0])
    assert not bus.in_bus_thread()
    assert bus.stop(LIMIT)
    assert inside == [True, True]


def test_a_listener_added_later_hears_later_events_only() -> None:
    bus, early, late = ListenerBus(), Blocking(), Recorder()
    bus.add(early)
    bus.post(ONE_OF_EACH[0])
    assert early.entered.wait(LIMIT)
    bus.add(late)
    bus.post(ONE_OF_EACH[1])
    early.go.set()
    assert bus.stop(LIMIT)
    assert [event for _, event in late.heard] == ONE_OF_EACH[1:2]
