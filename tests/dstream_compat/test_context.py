"""StreamingContext: what it refuses, in which words, and which inputs it takes."""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import IllegalArgumentException

from dstream_compat import DStream, Receiver, StreamingContext
from dstream_parity.engines.in_process import LocalContext
from tests.dstream_compat.engine import by_hand, tick

NO_OUTPUT = "requirement failed: No output operations registered, so nothing to execute"
STOPPED = "StreamingContext has already been stopped"
AFTER_STOP = (
    "Adding new inputs, transformations, and output operations after stopping a context "
    "is not supported"
)
LIMIT = 30.0


def made(interval: Any = 1) -> StreamingContext:
    """A context with no Spark behind it: enough to build graphs."""
    return StreamingContext(LocalContext(), interval)  # type: ignore[arg-type]


def ignore(rdd: Any) -> None:
    pass


# -- the constructor ---------------------------------------------------------------------------


def test_no_batch_duration_is_a_bare_assertion_error() -> None:
    with pytest.raises(AssertionError) as caught:
        made(None)
    assert str(caught.value) == ""


@pytest.mark.parametrize("duration", ["1", [1], True, {}])
def test_a_batch_duration_that_is_no_number_is_a_type_error_that_names_it(duration: Any) -> None:
    with pytest.raises(TypeError, match="batchDuration should be a number of seconds"):
        made(duration)


@pytest.mark.parametrize("duration", [0, -1, 0.0004, -0.5])
def test_a_batch_duration_below_a_millisecond_is_refused(duration: float) -> None:
    with pytest.raises(ValueError, match=r"batchDuration should be at least 0\.001 seconds"):
        made(duration)


@pytest.mark.parametrize(("duration", "ms"), [(1, 1000), (0.5, 500), (0.0019, 1), (2.9999, 2999)])
def test_durations_are_cut_off_to_milliseconds(duration: float, ms: int) -> None:
    assert made(duration)._interval_ms == ms


def test_a_java_context_of_the_legacy_engine_is_refused() -> None:
    with pytest.raises(TypeError, match="jssc is a Java StreamingContext of the legacy engine"):
        StreamingContext(LocalContext(), jssc=object())  # type: ignore[arg-type]


def test_the_spark_context_is_the_very_object_passed_in() -> None:
    local: Any = LocalContext()
    assert StreamingContext(local, 1).sparkContext is local


@pytest.mark.parametrize("given", [None, 5, "local"])
def test_what_is_no_spark_context_is_refused(given: Any) -> None:
    kind = type(given).__name__
    with pytest.raises(TypeError, match=f"sparkContext should be a SparkContext, got {kind}"):
        StreamingContext(given, 1)


def test_a_session_gives_its_spark_context() -> None:
    class Session:
        sparkContext = LocalContext()

    session: Any = Session()
    assert StreamingContext(session, 1).sparkContext is session.sparkContext


def test_a_listener_has_a_method_to_call() -> None:
    with pytest.raises(TypeError, match="should be a StreamingListener, got int"):
        made().addStreamingListener(5)


def test_a_checkpoint_directory_is_a_str() -> None:
    directory: Any = 5
    with pytest.raises(TypeError, match="directory should be a str, got int"):
        made().checkpoint(directory)


def test_several_contexts_may_exist_as_long_as_none_is_started() -> None:
    first, second = made(), made()
    assert first is not second
    assert StreamingContext.getActive() is None


def test_a_configured_checkpoint_directory_is_used(tmp_path: Path) -> None:
    class Configured(LocalContext):
        _conf: ClassVar[Any] = {"spark.streaming.checkpoint.directory": str(tmp_path / "kept")}

        def setCheckpointDir(self, directory: str) -> None:
            self.__dict__["told"] = directory

    local = Configured()
    ssc = StreamingContext(local, 1)  # type: ignore[arg-type]
    assert ssc._checkpoint_dir == (tmp_path / "kept").as_uri()
    assert local.__dict__["told"] == str(tmp_path / "kept")
    assert (tmp_path / "kept").is_dir()


# -- start and stop with nothing running -------------------------------------------------------


def test_a_start_without_outputs_fails_and_is_final() -> None:
    ssc = made()
    ssc.queueStream([[1]])
    with pytest.raises(IllegalArgumentException) as caught:
        ssc.start()
    assert NO_OUTPUT in str(caught.value)
    with pytest.raises(Py4JJavaError, match=STOPPED):
        ssc.start()
    assert StreamingContext.getActive() is None


def test_a_stopped_context_cannot_be_started() -> None:
    ssc = made()
    ssc.queueStream([[1]]).pprint()
    ssc.stop(stopSparkContext=False)
    with pytest.raises(Py4JJavaError) as caught:
        ssc.start()
    assert f"java.lang.IllegalStateException: {STOPPED}" in str(caught.value)


def test_stop_can_be_called_again() -> None:
    ssc = made()
    ssc.stop(stopSparkContext=False)
    ssc.stop(stopSparkContext=False, stopGraceFully=True)


def test_a_context_that_never_ran_is_never_terminated() -> None:
    ssc = made()
    assert ssc.awaitTerminationOrTimeout(0.01) is False
    ssc.stop(stopSparkContext=False)
    assert ssc.awaitTerminationOrTimeout(0.01) is False
    assert ssc.awaitTermination(0.01) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("timeout", ["1", [], None])
def test_a_timeout_that_is_no_number_is_a_type_error(timeout: Any) -> None:
    with pytest.raises(TypeError, match="timeout"):
        made().awaitTerminationOrTimeout(timeout)


ADDITIONS: dict[str, Any] = {
    "queueStream": lambda ssc, stream: ssc.queueStream([[1]]),
    "socketTextStream": lambda ssc, stream: ssc.socketTextStream("localhost", 1),
    "textFileStream": lambda ssc, stream: ssc.textFileStream("anywhere"),
    "binaryRecordsStream": lambda ssc, stream: ssc.binaryRecordsStream("anywhere", 3),
    "receiverStream": lambda ssc, stream: ssc.receiverStream(Receiver()),
    "union": lambda ssc, stream: stream.union(stream),
    "context union": lambda ssc, stream: ssc.union(stream, stream),
    "context transform": lambda ssc, stream: ssc.transform([stream], lambda rdds: rdds[0]),
    "transformWith": lambda ssc, stream: stream.transformWith(lambda a, b: a, stream),
    "join": lambda ssc, stream: stream.join(stream),
    "cogroup": lambda ssc, stream: stream.cogroup(stream),
    "foreachRDD": lambda ssc, stream: stream.foreachRDD(ignore),
    "pprint": lambda ssc, stream: stream.pprint(),
    "saveAsTextFiles": lambda ssc, stream: stream.saveAsTextFiles("prefix"),
    "pprint of a new map": lambda ssc, stream: stream.map(str).pprint(),
}


@pytest.mark.parametrize("what", ADDITIONS)
def test_nothing_can_be_added_after_a_stop(what: str) -> None:
    ssc = made()
    stream = ssc.queueStream([[("a", 1)]])
    ssc.stop(stopSparkContext=False)
    with pytest.raises(Py4JJavaError) as caught:
        ADDITIONS[what](ssc, stream)
    assert f"java.lang.IllegalStateException: {AFTER_STOP}" in str(caught.value)


@pytest.mark.parametrize("build", [lambda s: s.map(str), lambda s: s.transform(lambda r: r)])
def test_streams_that_are_only_described_are_not_checked_after_a_stop(build: Any) -> None:
    ssc = made()
    stream = ssc.queueStream([[1]])
    ssc.stop(stopSparkContext=False)
    assert isinstance(build(stream), DStream)


# -- finding contexts --------------------------------------------------------------------------


@pytest.mark.parametrize("setup", [None, 3, "setup"])
def test_get_active_or_create_wants_a_callable(setup: Any) -> None:
    with pytest.raises(TypeError) as caught:
        StreamingContext.getActiveOrCreate(None, setup)  # type: ignore[arg-type]
    assert str(caught.value) == "setupFunc should be callable."


def test_get_active_or_create_without_a_path_gives_what_setup_makes() -> None:
    ssc = made()
    assert StreamingContext.getActiveOrCreate(None, lambda: ssc) is ssc  # type: ignore[arg-type]
    assert ssc._checkpoint_dir is None


def test_get_or_create_refuses_what_the_legacy_one_refuses(tmp_path: Path) -> None:
    directory = str(tmp_path / "none")
    with pytest.raises(IllegalArgumentException, match="Can not create a Path from a null string"):
        StreamingContext.getOrCreate(None, made)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'int' object is not callable"):
        StreamingContext.getOrCreate(directory, 3)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'checkpoint'"):
        StreamingContext.getOrCreate(directory, lambda: None)  # type: ignore[arg-type, return-value]


def test_a_checkpoint_that_cannot_be_read_is_an_error_and_setup_is_not_called(
    tmp_path: Path,
) -> None:
    (tmp_path / "dstream.json").write_text("{ not json")
    (tmp_path / "graph").write_bytes(b"not a pickle")
    with pytest.raises(Py4JJavaError) as caught:
        StreamingContext.getOrCreate(str(tmp_path), lambda: pytest.fail("setup was called"))
    text = f"org.apache.spark.SparkException: Failed to read checkpoint from directory {tmp_path}"
    assert text in str(caught.value)


def test_a_checkpoint_of_the_legacy_engine_is_refused_and_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "checkpoint-1700000000000").write_bytes(b"java")
    with pytest.raises(Py4JJavaError, match="checkpoint of the legacy engine"):
        StreamingContext.getOrCreate(str(tmp_path), lambda: pytest.fail("setup was called"))
    assert (tmp_path / "checkpoint-1700000000000").read_bytes() == b"java"


# -- remember ----------------------------------------------------------------------------------


def test_remember_can_be_set_once() -> None:
    ssc = made()
    ssc.remember(5)
    with pytest.raises(IllegalArgumentException) as caught:
        ssc.remember(6)
    assert (
        "requirement failed: Remember duration already set as 5000 ms. Cannot set it again."
        in str(caught.value)
    )


@pytest.mark.parametrize("duration", ["5", None])
def test_remember_wants_a_number(duration: Any) -> None:
    with pytest.raises(TypeError, match="duration should be a number of seconds"):
        made().remember(duration)


# -- inputs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("default", [None, [], ()])
def test_an_empty_queue_without_a_default_is_an_index_error(default: Any) -> None:
    with pytest.raises(IndexError, match="list index out of range"):
        made().queueStream([], default=default)


def test_an_empty_queue_with_a_default_has_an_empty_batch_first() -> None:
    spec: Any = made().queueStream([], default=[1, 2])._node
    assert spec.spec.batches == ([],)
    assert spec.spec.default == [1, 2]


def test_a_queue_from_a_generator_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="'generator' object is not subscriptable"):
        made().queueStream([n] for n in range(3))  # type: ignore[arg-type]


def test_a_queue_is_copied_when_the_stream_is_made() -> None:
    batches = [[1], [2]]
    stream: Any = made().queueStream(batches)
    batches.append([3])
    batches[0].append(99)
    assert stream._node.spec.batches == ([1], [2])


def test_a_batch_that_is_not_iterable_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="not iterable"):
        made().queueStream([1, 2])


def test_generators_inside_a_queue_are_taken_as_batches() -> None:
    stream: Any = made().queueStream([(n for n in range(3)), {"a": 1}])
    assert stream._node.spec.batches == ([0, 1, 2], ["a"])


def test_rdds_and_lists_cannot_share_a_queue(sc: SparkContext) -> None:
    with pytest.raises(AttributeError):
        StreamingContext(sc, 1).queueStream([sc.parallelize([1]), [2]])
    with pytest.raises((AttributeError, TypeError)):
        StreamingContext(sc, 1).queueStream([[2], sc.parallelize([1])])


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((None, 9999), TypeError, "hostname should be a str"),
        (("localhost", "9999"), TypeError, "port should be an int"),
        (("localhost", 9999.0), TypeError, "port should be an int"),
        (("localhost", True), TypeError, "port should be an int"),
        (("localhost", 65536), IllegalArgumentException, "port out of range:65536"),
        (("localhost", -1), IllegalArgumentException, "port out of range:-1"),
    ],
)
def test_a_socket_wants_a_host_and_a_port(arguments: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        made().socketTextStream(*arguments)


def test_a_file_stream_wants_a_path_and_a_record_length() -> None:
    ssc = made()
    with pytest.raises(TypeError, match="directory should be a str"):
        ssc.textFileStream(Path("x"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="recordLength should be an int"):
        ssc.binaryRecordsStream("x", "3")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="recordLength should be at least 1"):
        ssc.binaryRecordsStream("x", 0)


def test_a_receiver_stream_wants_a_receiver() -> None:
    with pytest.raises(TypeError, match="receiver should be a Receiver, got str"):
        made().receiverStream("socket")  # type: ignore[arg-type]


def test_inputs_are_numbered_in_the_order_they_are_made() -> None:
    ssc = made()
    nodes: Any = [ssc.queueStream([[1]])._node, ssc.socketTextStream("h", 1)._node]
    assert [node.id for node in nodes] == [0, 1]


# -- unions and transforms of several streams --------------------------------------------------


def test_a_union_of_no_stream_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="should have at least one DStream to union"):
        made().union()


def test_a_union_of_one_stream_is_that_stream() -> None:
    ssc = made()
    stream = ssc.queueStream([[1]])
    assert ssc.union(stream) is stream


def test_streams_of_different_slides_cannot_be_united() -> None:
    fast, slow = made(1).queueStream([[1]]), made(2).queueStream([[1]])
    with pytest.raises(ValueError, match="All DStreams should have same slide duration"):
        fast.context().union(fast, slow)
    with pytest.raises(ValueError, match="the two DStream should have same slide duration"):
        fast.union(slow)


def test_transform_of_several_streams_checks_them() -> None:
    ssc, other, slower = made(1), made(1), made(2)
    mine = ssc.queueStream([[1]])
    with pytest.raises(Py4JJavaError, match="head of empty list"):
        ssc.transform([], lambda rdds: rdds[0])
    with pytest.raises(
        IllegalArgumentException,
        match="requirement failed: Some of the DStreams have different contexts",
    ):
        ssc.transform([mine, other.queueStream([[1]])], lambda rdds: rdds[0])
    stranger = slower.queueStream([[1]])
    stranger._ssc = ssc
    with pytest.raises(
        IllegalArgumentException,
        match="requirement failed: Some of the DStreams have different slide durations",
    ):
        ssc.transform([mine, stranger], lambda rdds: rdds[0])


@pytest.mark.parametrize(
    "combine",
    [
        lambda one, other: one.context().union(one, other),
        lambda one, other: one.context().union(other, other),
        lambda one, other: one.union(other),
        lambda one, other: one.join(other),
        lambda one, other: one.cogroup(other),
        lambda one, other: one.transformWith(lambda a, b: a, other),
    ],
)
def test_streams_of_two_contexts_cannot_be_combined(combine: Callable[[Any, Any], Any]) -> None:
    one, other = (made().queueStream([[("k", 1)]]) for _ in range(2))
    with pytest.raises(
        IllegalArgumentException,
        match="requirement failed: Some of the DStreams have different contexts",
    ):
        combine(one, other)


def test_a_stop_from_another_thread_waits_for_the_start_and_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starting, go_on, said = threading.Event(), threading.Event(), []

    class Slow:
        def __init__(self, ssc: StreamingContext) -> None: ...

        def start(self) -> None:
            starting.set()
            assert go_on.wait(LIMIT)
            said.append("started")

        def in_output(self) -> bool:
            return False

        def stop(self, gracefully: bool) -> None:
            said.append("stopped")

    monkeypatch.setattr("dstream_compat.engine.engine.Engine", Slow)
    monkeypatch.setattr(StreamingContext, "_has_checkpoint_directory", lambda self: False)
    ssc = made()
    ssc.queueStream([[1]]).foreachRDD(ignore)
    starter = threading.Thread(target=ssc.start)
    starter.start()
    assert starting.wait(LIMIT)
    stopper = threading.Thread(target=ssc.stop, kwargs={"stopSparkContext": False})
    stopper.start()
    go_on.set()
    starter.join(LIMIT)
    stopper.join(LIMIT)
    assert not starter.is_alive()
    assert not stopper.is_alive()
    assert said == ["started", "stopped"]
    assert StreamingContext.getActive() is None
    with pytest.raises(Py4JJavaError, match=STOPPED):
        ssc.start()


# -- with a checkpoint directory ---------------------------------------------------------------


@pytest.fixture
def checkpointed(sc: SparkContext, tmp_path: Path) -> Iterator[StreamingContext]:
    with by_hand(sc) as ssc:
        ssc.checkpoint(str(tmp_path / "checkpoint"))
        yield ssc


def test_a_checkpointed_start_refuses_a_function_that_cannot_be_pickled(
    checkpointed: StreamingContext,
) -> None:
    lock = threading.Lock()
    stream = checkpointed.textFileStream("nowhere").map(lambda line: (lock, line))
    stream.foreachRDD(ignore)
    with pytest.raises(Py4JJavaError) as caught:
        checkpointed.start()
    text = str(caught.value)
    assert "java.io.IOException" in text
    assert "An exception was raised by Python:" in text
    assert "cannot pickle '_thread.lock' object" in text
    assert " at test_context.py:" in text  # the line that has the function
    with pytest.raises(Py4JJavaError, match=STOPPED):
        checkpointed.start()


def test_a_checkpointed_start_refuses_a_function_that_captures_the_spark_context(
    checkpointed: StreamingContext, sc: SparkContext
) -> None:
    stream = checkpointed.textFileStream("nowhere")
    stream.foreachRDD(lambda rdd: rdd.union(sc.parallelize([1])).count())
    with pytest.raises(Py4JJavaError) as caught:
        checkpointed.start()
    assert "It appears that you are attempting to reference SparkContext" in str(caught.value)


def test_without_a_checkpoint_directory_an_output_may_use_the_spark_context(
    sc: SparkContext,
) -> None:
    seen: list[int] = []
    with by_hand(sc) as ssc:
        ssc.queueStream([[1, 2]]).foreachRDD(
            lambda rdd: seen.append(rdd.union(sc.parallelize([3])).count())
        )
        ssc.start()
        tick(ssc)
    assert seen == [3]


def test_a_queue_can_be_checkpointed_but_not_recovered(
    checkpointed: StreamingContext, tmp_path: Path
) -> None:
    checkpointed.queueStream([[1]]).foreachRDD(ignore)
    checkpointed.start()
    tick(checkpointed)
    checkpointed.stop(stopSparkContext=False)
    with pytest.raises(Py4JJavaError) as caught:
        StreamingContext.getOrCreate(str(tmp_path / "checkpoint"), made)
    assert "Failed to read checkpoint from directory" in str(caught.value)
    assert "queueStream doesn't support checkpointing" in str(caught.value)


def test_checkpoint_none_switches_checkpoints_off(
    checkpointed: StreamingContext, tmp_path: Path
) -> None:
    checkpointed.checkpoint(None)
    lock = threading.Lock()
    checkpointed.queueStream([[1]]).foreachRDD(lambda rdd: lock.locked() and None)
    checkpointed.start()
    tick(checkpointed)
    assert not (tmp_path / "checkpoint" / "graph").exists()


# -- inputs that are not there -----------------------------------------------------------------


def test_directories_that_are_missing_or_vanish_give_empty_batches_and_no_error(
    sc: SparkContext, tmp_path: Path
) -> None:
    (tmp_path / "vanishing").mkdir()
    (tmp_path / "a_file").write_text("no directory\n")
    seen: list[tuple[str, list[str]]] = []
    start = 1_700_000_000_000
    with by_hand(sc, now_ms=start) as ssc:
        for name in ("missing", "vanishing", "a_file"):
            lines = ssc.textFileStream(str(tmp_path / name))
            lines.foreachRDD(_noting(seen, name))
        ssc.start()
        _write(tmp_path / "vanishing" / "one", "1\n", start + 500)
        tick(ssc)
        shutil.rmtree(tmp_path / "vanishing")
        tick(ssc)
        (tmp_path / "missing").mkdir()
        _write(tmp_path / "missing" / "late", "here\n", start + 2500)
        tick(ssc)
        assert ssc.awaitTerminationOrTimeout(0.01) is False
    by_name = {name: [found for of, found in seen if of == name] for name, _ in seen}
    assert by_name["missing"] == [[], [], ["here"]]
    assert by_name["vanishing"] == [["1"], [], []]
    assert by_name["a_file"] == [[], [], []]


def test_a_port_nobody_listens_on_is_tried_again_and_is_no_error(sc: SparkContext) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tried = threading.Semaphore(0)

    class Tries(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "Restarting receiver with delay 50ms" in record.getMessage():
                tried.release()

    handler = Tries()
    logger = logging.getLogger("dstream_compat.input.receiver_source")
    logger.addHandler(handler)
    conf: Any = sc._conf
    conf.set("spark.streaming.receiverRestartDelay", "50ms")
    seen: list[int] = []
    try:
        with by_hand(sc) as ssc:
            ssc.socketTextStream("127.0.0.1", port).foreachRDD(lambda rdd: seen.append(rdd.count()))
            ssc.start()
            for _ in range(3):
                assert tried.acquire(timeout=LIMIT), "the receiver gave up"
            tick(ssc, 2)
            assert ssc.awaitTerminationOrTimeout(0.01) is False
    finally:
        logger.removeHandler(handler)
        conf.set("spark.streaming.receiverRestartDelay", "2000ms")
    assert seen == [0, 0]


def test_the_errors_can_be_pickled_and_keep_their_text() -> None:
    ssc = made()
    ssc.stop(stopSparkContext=False)
    with pytest.raises(Py4JJavaError) as caught:
        ssc.start()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def _noting(seen: list[tuple[str, list[str]]], name: str) -> Callable[[Any], None]:
    return lambda rdd: seen.append((name, rdd.collect()))


def _write(path: Path, text: str, modified_ms: int) -> None:
    path.write_text(text)
    os.utime(path, (modified_ms / 1000, modified_ms / 1000))
