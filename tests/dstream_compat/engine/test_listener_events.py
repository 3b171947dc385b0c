"""What a StreamingListener hears of a running job, in which order, with which fields."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext

from dstream_compat import Receiver, StreamingContext, StreamingListener
from tests.dstream_compat.engine import by_hand, tick

LIMIT = 60.0
CALLBACKS = [name for name in vars(StreamingListener) if name.startswith("on")]


class Heard(StreamingListener):
    """Keeps (callback, event) in order."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []
        self._changed = threading.Condition()

    def __getattribute__(self, name: str) -> Any:
        if name not in CALLBACKS:
            return super().__getattribute__(name)

        def keep(event: Any) -> None:
            with self._changed:
                self.events.append((name, event))
                self._changed.notify_all()

        return keep

    def wait(self, callback: str, times: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.of(callback)) >= times, LIMIT), (
                f"heard only {self.names()}"
            )

    def of(self, callback: str) -> list[Any]:
        return [event for name, event in self.events if name == callback]

    def names(self) -> list[str]:
        return [name.removeprefix("on") for name, _ in self.events]


PER_BATCH = [
    "BatchSubmitted",
    "BatchStarted",
    "OutputOperationStarted",
    "OutputOperationCompleted",
    "OutputOperationStarted",
    "OutputOperationCompleted",
    "BatchCompleted",
]


def test_a_queue_job_with_a_failing_output_tells_every_step_in_order(sc: SparkContext) -> None:
    heard = Heard()

    def fail_at_two(rdd: Any) -> None:
        if rdd.collect() == [2]:
            raise ValueError("no twos")

    with by_hand(sc) as ssc:
        ssc.addStreamingListener(heard)
        stream = ssc.queueStream([[1], [2], [3]])
        stream.foreachRDD(fail_at_two)
        stream.pprint(0)
        ssc.start()
        tick(ssc, 3)
        heard.wait("onBatchCompleted", 3)
    assert heard.names() == ["StreamingStarted", *PER_BATCH * 3]
    (started,) = heard.of("onStreamingStarted")
    assert isinstance(started.time(), int)

    for n, event in enumerate(heard.of("onBatchSubmitted"), 1):
        info = event.batchInfo()
        assert info.batchTime().milliseconds() == n * 1000
        assert info.submissionTime() > 1_600_000_000_000
        assert info.processingStartTime() == info.processingEndTime() == -1
        assert info.schedulingDelay() == info.processingDelay() == info.totalDelay() == -1
        assert info.numRecords() == 0
        assert dict(info.outputOperationInfos()) == {}
    for event in heard.of("onBatchStarted"):
        info = event.batchInfo()
        assert info.processingStartTime() >= info.submissionTime()
        assert info.schedulingDelay() == info.processingStartTime() - info.submissionTime()
        assert info.processingEndTime() == info.processingDelay() == info.totalDelay() == -1
    for n, event in enumerate(heard.of("onBatchCompleted"), 1):
        info = event.batchInfo()
        assert info.batchTime().milliseconds() == n * 1000
        assert info.processingEndTime() >= info.processingStartTime() >= info.submissionTime()
        assert info.totalDelay() == info.processingEndTime() - info.submissionTime()
        assert len(info.streamIdToInputInfo()) == 0  # legacy: queues are not reported
        assert info.numRecords() == 0
        outputs = info.outputOperationInfos()
        assert sorted(outputs) == [0, 1]
        reason = outputs[0].failureReason()
        assert (reason is None) == (n != 2)
        assert outputs[1].failureReason() is None
        if reason is not None:
            assert "ValueError: no twos" in reason

    ids = [e.outputOperationInfo().id() for e in heard.of("onOutputOperationStarted")]
    assert ids == [0, 1] * 3
    for event in heard.of("onOutputOperationStarted"):
        info = event.outputOperationInfo()
        assert info.startTime() > 0
        assert info.endTime() == -1
        assert info.failureReason() is None
        assert isinstance(info.name(), str)
        assert isinstance(info.description(), str)
    for n, event in enumerate(heard.of("onOutputOperationCompleted")):
        info = event.outputOperationInfo()
        assert info.batchTime().milliseconds() == (n // 2 + 1) * 1000
        assert info.endTime() >= info.startTime() > 0


def test_a_job_with_a_transform_tells_the_same_steps(sc: SparkContext) -> None:
    heard = Heard()
    with by_hand(sc) as ssc:
        ssc.addStreamingListener(heard)
        stream = ssc.queueStream([[1], [2]]).transform(lambda rdd: rdd.map(str))
        stream.foreachRDD(lambda rdd: None)
        stream.foreachRDD(lambda rdd: None)
        ssc.start()
        tick(ssc, 2)
        heard.wait("onBatchCompleted", 2)
    assert heard.names() == ["StreamingStarted", *PER_BATCH * 2]


def test_batches_without_an_output_are_not_told_of(sc: SparkContext) -> None:
    heard = Heard()
    with by_hand(sc) as ssc:
        ssc.addStreamingListener(heard)
        ssc.queueStream([[1]] * 4).window(3, 3).foreachRDD(lambda rdd: None)
        ssc.start()
        tick(ssc, 4)
        heard.wait("onBatchCompleted", 1)
    assert heard.names() == ["StreamingStarted", *PER_BATCH[:4], PER_BATCH[-1]]
    (submitted,) = heard.of("onBatchSubmitted")
    assert submitted.batchInfo().batchTime().milliseconds() == 3000


class Trouble(Receiver):
    """Stores, reports an error, is restarted once, and stores again."""

    def __init__(self) -> None:
        super().__init__()
        self.runs = 0
        self.stored = threading.Event()

    def onStart(self) -> None:
        self.runs += 1
        if self.runs == 1:
            self.storeAll(["a", "b"])
            self.reportError("hiccup", ValueError("inner"))
            self.restart("connection lost", OSError("gone"), 10)
        else:
            self.storeAll(["c"])
            self.stored.set()

    def onStop(self) -> None:
        pass


def test_receivers_tell_of_starts_errors_and_stops_and_batches_of_their_records(
    sc: SparkContext,
) -> None:
    heard, receiver = Heard(), Trouble()
    with by_hand(sc) as ssc:
        ssc.addStreamingListener(heard)
        ssc.queueStream([[0]])
        stream = ssc.receiverStream(receiver)
        stream.foreachRDD(lambda rdd: None)
        ssc.start()
        assert receiver.stored.wait(LIMIT)
        tick(ssc, 2)
        heard.wait("onBatchCompleted", 2)
        ssc.stop(stopSparkContext=False)
    told = [(n.removeprefix("onReceiver"), e.receiverInfo()) for n, e in heard.events if "Rec" in n]
    assert [name for name, _ in told] == ["Started", "Error", "Stopped", "Started", "Stopped"]
    infos = [info for _, info in told]
    assert {info.streamId() for info in infos} == {1}
    assert {info.name() for info in infos} == {"Trouble-1"}
    assert [info.active() for info in infos] == [True, True, False, True, False]
    assert infos[0].lastErrorMessage() == infos[0].lastError() == ""
    assert infos[0].lastErrorTime() == -1
    assert infos[1].lastErrorMessage() == "hiccup"
    assert "ValueError: inner" in infos[1].lastError()
    assert infos[2].lastErrorMessage() == "Restarting receiver with delay 10ms: connection lost"
    assert "OSError: gone" in infos[2].lastError()
    assert infos[2].lastErrorTime() > 0
    assert infos[4].lastErrorMessage() == "Stopped by driver"
    assert all(isinstance(info.location(), str) and info.executorId() for info in infos)

    first, then = (event.batchInfo() for event in heard.of("onBatchCompleted"))
    (number,) = first.streamIdToInputInfo()
    inputs = first.streamIdToInputInfo()[number]
    assert number == inputs.inputStreamId() == 1
    assert inputs.numRecords() == first.numRecords() == 3
    assert dict(inputs.metadata()) == {}
    assert inputs.metadataDescription() is None
    assert then.numRecords() == 0


def test_a_callback_may_not_stop_its_context_and_its_error_does_no_harm(
    sc: SparkContext,
) -> None:
    errors: list[BaseException] = []
    completed = threading.Semaphore(0)

    class Stops(StreamingListener):
        def onBatchCompleted(self, batchCompleted: Any) -> None:
            try:
                ssc.stop(stopSparkContext=False)
            except BaseException as error:
                errors.append(error)
                raise
            finally:
                completed.release()

    with by_hand(sc) as ssc:
        ssc.addStreamingListener(Stops())
        ssc.queueStream([[1]]).foreachRDD(lambda rdd: None)
        ssc.start()
        tick(ssc, 2)
        assert completed.acquire(timeout=LIMIT)
        assert completed.acquire(timeout=LIMIT)
        assert StreamingContext.getActive() is ssc
    assert len(errors) == 2
    for error in errors:
        assert isinstance(error, Py4JJavaError)
        assert (
            "org.apache.spark.SparkException: "
            "Cannot stop StreamingContext within listener bus thread." in str(error)
        )


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_listener_may_be_added_before_and_after_the_start(sc: SparkContext, when: str) -> None:
    heard = Heard()
    with by_hand(sc) as ssc:
        ssc.queueStream([[1]]).foreachRDD(lambda rdd: None)
        if when == "before":
            ssc.addStreamingListener(heard)
        ssc.start()
        if when == "after":
            ssc.addStreamingListener(heard)
        tick(ssc)
        heard.wait("onBatchCompleted", 1)
    completed = ["BatchSubmitted", "BatchStarted", "OutputOperationStarted"]
    completed += ["OutputOperationCompleted", "BatchCompleted"]
    assert heard.names()[-5:] == completed
