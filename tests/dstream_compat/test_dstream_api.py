"""DStream: arity rules, validation. No Spark in here."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import RDD, StorageLevel
from pyspark.streaming import util as legacy_util

from dstream_compat import DStream, StreamingContext
from dstream_compat.dstream import TransformedDStream
from dstream_compat.graph.nodes import Output, Transform
from dstream_compat.util import rddToFileName
from dstream_parity import Seen
from dstream_parity.engines.in_process import LocalContext, replay_in_process


@pytest.fixture
def stream() -> DStream[Any]:
    return made()


def made(interval: float = 0.5) -> DStream[Any]:
    ssc = StreamingContext(LocalContext(), interval)  # type: ignore[arg-type]
    return ssc.queueStream([[("a", 1)]])


class Methods:
    def one(self, rdd: Any) -> Any:
        return rdd

    def two(self, time: Any, rdd: Any) -> Any:
        return rdd

    def three(self, time: Any, rdd: Any, other: Any) -> Any:
        return rdd

    @staticmethod
    def static(rdd: Any) -> Any:
        return rdd

    def __call__(self, rdd: Any) -> Any:
        return rdd


def outputs_of(stream: DStream[Any]) -> list[Output]:
    return stream.context()._outputs


def transform_node(stream: DStream[Any]) -> Transform:
    node = stream._node
    assert isinstance(node, Transform)
    return node


# -- transform ---------------------------------------------------------------------------------


def test_transform_calls_by_the_number_of_declared_arguments(stream: DStream[Any]) -> None:
    def applied(func: Callable[..., Any]) -> Any:
        return transform_node(stream.transform(func)).function("time", ["rdd"])

    assert applied(lambda rdd: ("one", rdd)) == ("one", "rdd")
    assert applied(lambda time, rdd: ("two", time, rdd)) == ("two", "time", "rdd")
    # legacy: defaults count, so this is called with the time first
    assert applied(lambda rdd, x=1: (rdd, x)) == ("time", "rdd")
    assert applied(lambda rdd, *more, key=1: (rdd, more)) == ("rdd", ())
    assert applied(Methods.static) == "rdd"


@pytest.mark.parametrize(
    "func",
    [lambda: None, lambda a, b, c: a, lambda *rdds: rdds, lambda **named: None, Methods().two],
    ids=["none", "three", "*args", "**kwargs", "bound method of two"],
)
def test_transform_refuses_any_other_number(stream: DStream[Any], func: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        stream.transform(func)
    assert str(caught.value) == "func should take one or two arguments"


def test_a_bound_method_counts_self_and_fails_only_when_called(stream: DStream[Any]) -> None:
    node = transform_node(stream.transform(Methods().one))
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        node.function("time", ["rdd"])


@pytest.mark.parametrize(
    "func", [sorted, functools.partial(max, 1), Methods()], ids=["builtin", "partial", "instance"]
)
def test_functions_without_code_are_attribute_errors(stream: DStream[Any], func: Any) -> None:
    for method in (
        lambda: stream.transform(func),
        lambda: stream.foreachRDD(func),
        lambda: stream.transformWith(func, stream),
    ):
        with pytest.raises(AttributeError, match="has no attribute '__code__'"):
            method()
    assert outputs_of(stream) == []


def test_a_transformed_stream_can_be_made_by_its_class(stream: DStream[Any]) -> None:
    made = TransformedDStream(stream, lambda time, rdd: (time, rdd))
    assert transform_node(made).function("time", ["rdd"]) == ("time", "rdd")
    assert made.context() is stream.context()


def test_transform_with_calls_by_the_number_of_declared_arguments(stream: DStream[Any]) -> None:
    def applied(func: Callable[..., Any]) -> Any:
        return transform_node(stream.transformWith(func, stream)).function("time", ["a", "b"])

    assert applied(lambda a, b: (a, b)) == ("a", "b")
    assert applied(lambda time, a, b: (time, a, b)) == ("time", "a", "b")
    assert applied(lambda a, b, c=0: (a, b, c)) == ("time", "a", "b")


@pytest.mark.parametrize(
    "func",
    [lambda a: a, lambda a, b, c, d: a, lambda *rdds: rdds, Methods().three],
    ids=["one", "four", "*args", "bound method of three"],
)
def test_transform_with_refuses_any_other_number(stream: DStream[Any], func: Any) -> None:
    with pytest.raises(AssertionError) as caught:
        stream.transformWith(func, stream)
    assert str(caught.value) == "func should take two or three arguments"


def test_transform_with_accepts_streams_of_another_slide(stream: DStream[Any]) -> None:
    joined = stream.transformWith(lambda a, b: a, stream.window(2, 2))
    assert joined._slideDuration == stream._slideDuration


def test_the_context_s_transform_hands_over_one_tuple(stream: DStream[Any]) -> None:
    ssc = stream.context()
    node = transform_node(ssc.transform([stream, stream], lambda rdds: rdds))
    assert node.function("time", ["a", "b"]) == ("a", "b")


# -- foreachRDD --------------------------------------------------------------------------------


def test_foreach_rdd_calls_with_the_rdd_only_if_one_argument_is_declared(
    stream: DStream[Any],
) -> None:
    calls: list[Any] = []
    functions: list[Callable[..., Any]] = [
        lambda rdd: calls.append(rdd),
        lambda time, rdd: calls.append((time, rdd)),
        lambda rdd, x=1: calls.append((rdd, x)),
        lambda *both: calls.append(both),
        lambda rdd, *rest: calls.append((rdd, rest)),
    ]
    for function in functions:
        stream.foreachRDD(function)
    for output in outputs_of(stream):
        output.function("time", "rdd")
    assert calls == ["rdd", ("time", "rdd"), ("time", "rdd"), ("time", "rdd"), ("rdd", ())]


def test_foreach_rdd_checks_no_number_before_the_call(stream: DStream[Any]) -> None:
    bound = Methods()
    stream.foreachRDD(bound.two)  # declared (self, time, rdd): works
    stream.foreachRDD(lambda: None)
    stream.foreachRDD(bound.one)
    two, none, one = (output.function for output in outputs_of(stream))
    assert two("time", "rdd") == "rdd"
    with pytest.raises(TypeError, match="takes 0 positional arguments but 2 were given"):
        none("time", "rdd")
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        one("time", "rdd")


def test_outputs_give_nothing_back(stream: DStream[Any]) -> None:
    assert stream.foreachRDD(lambda rdd: None) is None  # type: ignore[func-returns-value]
    assert stream.pprint() is None  # type: ignore[func-returns-value]
    assert stream.saveAsTextFiles("x") is None  # type: ignore[func-returns-value]
    assert len(outputs_of(stream)) == 3


# -- cache, persist, checkpoint ----------------------------------------------------------------


def test_cache_persist_and_checkpoint_return_the_stream_and_mark_it(stream: DStream[Any]) -> None:
    assert stream.cache() is stream
    assert stream.is_cached is True
    mapped = stream.map(str)
    assert mapped.is_cached is False
    assert mapped.persist(StorageLevel.DISK_ONLY) is mapped
    assert mapped.is_cached is True
    assert mapped.checkpoint(5) is mapped
    assert mapped.is_checkpointed is True


def test_persist_wants_a_storage_level(stream: DStream[Any]) -> None:
    with pytest.raises(TypeError):
        stream.persist()  # type: ignore[call-arg]


@pytest.mark.parametrize("level", ["MEMORY_ONLY", None])
def test_persist_takes_nothing_but_a_storage_level(stream: DStream[Any], level: Any) -> None:
    with pytest.raises(TypeError, match=r"storageLevel must be of type pyspark.StorageLevel"):
        stream.persist(level)
    assert not stream.is_cached


@pytest.mark.parametrize("call", ["union", "join", "leftOuterJoin", "cogroup"])
def test_another_stream_is_a_dstream(stream: DStream[Any], call: str) -> None:
    with pytest.raises(TypeError, match=f"{call} takes another DStream, got list"):
        getattr(stream, call)([])
    rdd: Any = RDD.__new__(RDD)
    with pytest.raises(TypeError, match=rf"got an RDD: use transform\(lambda rdd: rdd.{call}\("):
        getattr(stream, call)(rdd)


def test_transform_with_takes_another_dstream(stream: DStream[Any]) -> None:
    other: Any = None
    with pytest.raises(TypeError, match="transformWith takes another DStream, got NoneType"):
        stream.transformWith(lambda a, b: a, other)


@pytest.mark.parametrize("number", [1.5, "2", True])
def test_a_number_of_partitions_is_an_int(stream: DStream[Any], number: Any) -> None:
    for call in (
        lambda: stream.reduceByKey(max, number),
        lambda: stream.partitionBy(number),
        lambda: stream.join(stream, number),
        lambda: stream.updateStateByKey(max, number),
        lambda: stream.groupByKeyAndWindow(1, 1, number),
        lambda: stream.repartition(number),
    ):
        with pytest.raises(TypeError, match="numPartitions should be an int, got"):
            call()


@pytest.mark.parametrize("number", [0, -1])
def test_repartition_needs_a_partition(stream: DStream[Any], number: int) -> None:
    with pytest.raises(ValueError, match=r"Number of partitions must be positive\."):
        stream.repartition(number)


def test_a_checkpoint_interval_is_a_number(stream: DStream[Any]) -> None:
    with pytest.raises(TypeError, match="interval should be a number of seconds"):
        stream.checkpoint("10")  # type: ignore[arg-type]


def test_slice_needs_a_context_that_has_started(stream: DStream[Any]) -> None:
    with pytest.raises(Py4JJavaError) as caught:
        stream.slice(0, 10)
    assert "org.apache.spark.SparkException" in str(caught.value)
    assert "has not been initialized" in str(caught.value)


# -- windows and state: validated, then not yet ------------------------------------------------


def add(a: Any, b: Any) -> Any:
    return a + b


WINDOWS: dict[str, Callable[[DStream[Any], Any, Any], Any]] = {
    "window": lambda s, w, sl: s.window(w, sl),
    "reduceByWindow": lambda s, w, sl: s.reduceByWindow(add, None, w, sl),
    "countByWindow": lambda s, w, sl: s.countByWindow(w, sl),
    "countByValueAndWindow": lambda s, w, sl: s.countByValueAndWindow(w, sl),
    "groupByKeyAndWindow": lambda s, w, sl: s.groupByKeyAndWindow(w, sl),
    "reduceByKeyAndWindow": lambda s, w, sl: s.reduceByKeyAndWindow(add, None, w, sl),
}


@pytest.mark.parametrize("operator", WINDOWS)
def test_windows_must_be_multiples_of_the_slide(operator: str, stream: DStream[Any]) -> None:
    text = "{} must be multiple of the parent dstream's slide (batch) duration (500 ms)"
    with pytest.raises(ValueError, match="windowDuration") as window:
        WINDOWS[operator](stream, 0.7, 0.5)
    assert str(window.value) == text.format("windowDuration")
    with pytest.raises(ValueError, match="slideDuration") as slide:
        WINDOWS[operator](stream, 1, 0.8)
    assert str(slide.value) == text.format("slideDuration")


@pytest.mark.parametrize("operator", WINDOWS)
def test_a_window_slides_as_told(operator: str, stream: DStream[Any]) -> None:
    assert WINDOWS[operator](stream, 1.5, 1)._slideDuration == 1.0


@pytest.mark.parametrize("operator", WINDOWS)
def test_a_slide_of_nothing_is_refused(operator: str, stream: DStream[Any]) -> None:
    with pytest.raises(ValueError, match="slideDuration should be more than 0 seconds"):
        WINDOWS[operator](stream, 1, 0)
    with pytest.raises(ValueError, match="windowDuration should be more than 0 seconds"):
        WINDOWS[operator](stream, -1, 1)


@pytest.mark.parametrize("operator", WINDOWS)
def test_a_window_of_the_wrong_type_is_a_type_error(operator: str, stream: DStream[Any]) -> None:
    with pytest.raises(TypeError):
        WINDOWS[operator](stream, None, 1)
    with pytest.raises(TypeError):
        WINDOWS[operator](stream, "1", 1)


# -- declarations ------------------------------------------------------------------------------


def test_the_default_number_of_partitions_is_read_when_the_operator_is_declared() -> None:
    def build(ssc: StreamingContext, inputs: list[DStream[Any]]) -> list[DStream[Any]]:
        first = inputs[0].groupByKey()
        ssc.sparkContext.__dict__["defaultParallelism"] = 7
        return [first.mapValues(len), inputs[0].groupByKey().mapValues(len)]

    outcomes = replay_in_process(build, [[[[("a", 1)]]]], parallelism=3)
    partitions = [len(o.partitions) for output in outcomes for o in output if isinstance(o, Seen)]
    assert partitions == [3, 7]


@pytest.mark.parametrize("suffix", [None, "", "txt"])
@pytest.mark.parametrize(
    "moment", [datetime(2026, 1, 2, 3, 4, 5, 678_900), datetime(1970, 1, 2), 12345678910, 0]
)
def test_file_names_are_the_legacy_ones(suffix: str | None, moment: Any) -> None:
    legacy: Any = legacy_util
    expected = legacy.rddToFileName("out/x", suffix, moment)
    assert rddToFileName("out/x", suffix, moment) == expected
