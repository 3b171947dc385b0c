"""The life of a context on real Spark: start, stop, errors, waiting, one after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from dstream_compat import Receiver, StreamingContext, StreamingListener
from dstream_compat.engine.query import Query
from dstream_compat.input.clock import CLOCK, ManualClock
from dstream_compat.input.generator import Generator
from tests.dstream_compat.engine import by_hand, tick

LIMIT = 60.0


class Seen:
    """An output that remembers what it was called with; ``wait`` waits for so many calls."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.times: list[datetime] = []
        self._changed = threading.Condition()

    def into(self) -> Callable[[datetime, Any], None]:
        def note(time: datetime, rdd: Any) -> None:
            elements = rdd.collect()
            with self._changed:
                self.batches.append(elements)
                self.times.append(time)
                self._changed.notify_all()

        return note

    def wait(self, calls: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.batches) >= calls, LIMIT)


def spark_works(sc: SparkContext) -> bool:
    return sc.parallelize([1, 2]).count() == 2


def is_stopped(sc: SparkContext) -> bool:
    return sc._jsc is None


# -- start and stop ----------------------------------------------------------------------------


def test_a_job_runs_from_start_to_stop_and_spark_stays_if_told_so(sc: SparkContext) -> None:
    seen = Seen()
    with by_hand(sc) as ssc:
        stream = ssc.queueStream([[1, 2], [3]])
        stream.map(lambda x: x * 10).foreachRDD(seen.into())
        assert StreamingContext.getActive() is None
        ssc.start()
        assert StreamingContext.getActive() is ssc
        ssc.start()  # legacy: no effect
        tick(ssc, 3)
        assert ssc.awaitTerminationOrTimeout(0.05) is False
        assert ssc.awaitTermination(0.05) is None  # type: ignore[func-returns-value]
        for add in (
            lambda: stream.pprint(),
            lambda: stream.map(str).foreachRDD(lambda rdd: None),
            lambda: ssc.queueStream([[1]]),
            lambda: ssc.union(stream, stream),
            lambda: stream.join(stream),
        ):
            with pytest.raises(Py4JJavaError) as caught:
                add()
            assert (
                "java.lang.IllegalStateException: Adding new inputs, transformations, and "
                "output operations after starting a context is not supported"
            ) in str(caught.value)
        with pytest.raises(Py4JJavaError, match="Cannot change storage level of a DStream after"):
            stream.cache()
        with pytest.raises(
            Py4JJavaError, match="Cannot change checkpoint interval of a DStream after"
        ):
            stream.checkpoint(10)
        ssc.stop(stopSparkContext=False)
        assert StreamingContext.getActive() is None
        assert ssc.awaitTerminationOrTimeout(0.05) is True
        ssc.stop(stopSparkContext=False)
        with pytest.raises(Py4JJavaError, match="StreamingContext has already been stopped"):
            ssc.start()
    assert seen.batches == [[10, 20], [30], []]
    assert spark_works(sc)


def test_stop_stops_spark_too_unless_told_otherwise(sc: SparkContext) -> None:
    never_started = StreamingContext(sc, 1)
    never_started.stop(stopSparkContext=False)
    assert spark_works(sc)
    with by_hand(sc) as ssc:
        ssc.queueStream([[1]]).foreachRDD(Seen().into())
        ssc.start()
        ssc.stop()
        assert is_stopped(sc)
        ssc.stop()


def test_a_second_stop_and_one_on_a_context_never_started_still_stop_spark(
    sc: SparkContext,
) -> None:
    ssc = StreamingContext(sc, 1)
    ssc.stop(stopSparkContext=False)
    ssc.stop(stopSparkContext=True)
    assert is_stopped(sc)


def test_contexts_run_one_after_the_other_also_on_a_new_spark_context(
    live_sc: Callable[[], SparkContext],
) -> None:
    def run(sc: SparkContext, batch: list[int]) -> list[Any]:
        seen = Seen()
        with by_hand(sc) as ssc:
            pairs = ssc.queueStream([batch]).map(lambda x: (x % 2, x))
            pairs.reduceByKey(lambda a, b: a + b).foreachRDD(seen.into())
            ssc.start()
            tick(ssc)
        return sorted(seen.batches[0])

    sc = live_sc()
    assert run(sc, [1, 2, 3]) == [(0, 2), (1, 4)]
    assert run(sc, [5, 6]) == [(0, 6), (1, 5)]
    sc.stop()
    again = live_sc()
    assert again is not sc
    assert run(again, [7, 8, 9]) == [(0, 8), (1, 16)]


def test_only_one_context_runs_and_the_refused_one_can_start_later(sc: SparkContext) -> None:
    seen = Seen()
    with by_hand(sc) as second:
        second.queueStream([[2]]).foreachRDD(seen.into())
        with by_hand(sc) as first:
            first.queueStream([[1]]).foreachRDD(seen.into())
            first.start()
            with pytest.raises(Py4JJavaError) as caught:
                second.start()
            text = str(caught.value)
            assert (
                "java.lang.IllegalStateException: Only one StreamingContext may be started in "
                "this JVM. Currently running StreamingContext was started at"
            ) in text
            assert "test_lifecycle.py" in text
            # unlike the legacy engine's, a stop of another context leaves the active one known
            StreamingContext(sc, 1).stop(stopSparkContext=False)
            assert StreamingContext.getActive() is first
        sc.__dict__[CLOCK] = ManualClock()
        second.start()
        tick(second)
    assert seen.batches == [[2]]


def test_active_contexts_are_found_and_stopping_behind_the_scenes_is_noticed(
    sc: SparkContext,
) -> None:
    made: list[StreamingContext] = []

    def setup() -> StreamingContext:
        made.append(StreamingContext(sc, 1))
        return made[-1]

    find: Any = StreamingContext.getActiveOrCreate
    with by_hand(sc) as ssc:
        ssc.queueStream([[1]]).foreachRDD(Seen().into())
        assert find(None, setup) is made[-1]
        ssc.start()
        assert find(None, setup) is ssc
        assert StreamingContext.getActive() is ssc
        assert len(made) == 1
        ssc._jssc.stop(False)
        assert StreamingContext.getActive() is None
        assert spark_works(sc)
        assert find(None, setup) is made[-1]
        assert len(made) == 2


# -- errors ------------------------------------------------------------------------------------


def test_a_failing_batch_is_raised_by_await_termination_and_stops_nothing(
    sc: SparkContext,
) -> None:
    good, mapped = Seen(), Seen()
    fatal: dict[int, BaseException] = {
        1: ValueError("boom"),
        2: SystemExit(3),
        4: KeyError("last one"),
    }

    def fail(rdd: Any) -> None:
        (number,) = rdd.collect()
        if number in fatal:
            raise fatal[number]

    def on_worker(number: int) -> int:
        if number == 3:
            raise RuntimeError("from a worker")
        return number

    def error(ssc: StreamingContext) -> str:
        with pytest.raises(Py4JJavaError) as caught:
            ssc.awaitTermination(LIMIT)
        with pytest.raises(Py4JJavaError):
            ssc.awaitTerminationOrTimeout(LIMIT)
        return str(caught.value)

    with by_hand(sc) as ssc:
        stream = ssc.queueStream([[n] for n in range(6)])
        stream.foreachRDD(fail)
        stream.map(on_worker).foreachRDD(mapped.into())
        stream.foreachRDD(good.into())
        ssc.start()
        tick(ssc)
        assert ssc.awaitTerminationOrTimeout(0.05) is False
        tick(ssc)
        text = error(ssc)
        assert "org.apache.spark.SparkException: An exception was raised by Python:" in text
        assert "ValueError: boom" in text
        assert "Traceback (most recent call last)" in text
        assert StreamingContext.getActive() is ssc
        tick(ssc)
        assert "SystemExit: 3" in error(ssc)
        tick(ssc)
        assert "RuntimeError: from a worker" in error(ssc)
        tick(ssc, 2)
        assert "KeyError: 'last one'" in error(ssc)
        ssc.stop(stopSparkContext=False)
        assert "KeyError: 'last one'" in error(ssc)
    assert good.batches == [[0], [1], [2], [3], [4], [5]]
    assert mapped.batches == [[0], [1], [2], [4], [5]]


def test_await_termination_wakes_up_with_the_error(sc: SparkContext) -> None:
    caught: list[BaseException] = []

    def wait() -> None:
        try:
            ssc.awaitTermination()
        except BaseException as error:
            caught.append(error)

    with by_hand(sc) as ssc:
        ssc.queueStream([[1]]).foreachRDD(lambda rdd: 1 / 0)
        ssc.start()
        waiting = threading.Thread(target=wait, daemon=True)
        waiting.start()
        tick(ssc)
        waiting.join(LIMIT)
    assert "ZeroDivisionError: division by zero" in str(caught[0])


# -- stop from within --------------------------------------------------------------------------


@pytest.mark.parametrize("stop_spark", [False, True])
def test_an_output_may_stop_its_own_context_and_no_other_runs_after_it(
    sc: SparkContext, stop_spark: bool
) -> None:
    calls: list[Any] = []
    continued = threading.Event()

    with by_hand(sc) as ssc:

        def stop_at_two(rdd: Any) -> None:
            calls.append(rdd.collect())
            if len(calls) == 3:
                ssc.stop(stopSparkContext=stop_spark)
                continued.set()

        stream = ssc.queueStream([[n] for n in range(9)])
        stream.foreachRDD(stop_at_two)
        stream.foreachRDD(lambda rdd: calls.append("other"))
        ssc.start()
        engine = ssc._engine
        assert engine is not None
        engine.log_by_hand(5)
        assert ssc.awaitTerminationOrTimeout(LIMIT) is True
        assert continued.is_set()
        assert StreamingContext.getActive() is None
        assert calls == [[0], "other", [1]]
        assert engine._stopper is not None
        engine._stopper.join(LIMIT)
        assert is_stopped(sc) == stop_spark
        assert stop_spark or spark_works(sc)


def test_a_graceful_stop_processes_all_that_a_receiver_got(sc: SparkContext) -> None:
    stored = threading.Event()

    class Hundred(Receiver):
        def onStart(self) -> None:
            for number in range(100):
                self.store(number)
            stored.set()

        def onStop(self) -> None:
            pass

    seen = Seen()
    ssc = StreamingContext(sc, 1)
    ssc.receiverStream(Hundred()).foreachRDD(seen.into())
    ssc.start()
    try:
        assert stored.wait(LIMIT)
    finally:
        ssc.stop(stopSparkContext=False, stopGraceFully=True)
    assert [n for batch in seen.batches for n in batch] == list(range(100))
    assert ssc.awaitTerminationOrTimeout(0) is True


# -- sessions ----------------------------------------------------------------------------------


def test_a_session_made_first_is_used_and_its_settings_stay_as_they_are(
    sc: SparkContext,
) -> None:
    sc.stop()
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    try:
        before = dict(session.conf.getAll)
        session.createDataFrame([(1, "a")], "n int, s string").createOrReplaceTempView("users")
        seen: list[Any] = []

        def with_sql(rdd: Any) -> None:
            assert rdd.context is session.sparkContext
            seen.append(session.sql("select s from users").collect()[0][0])
            if not rdd.isEmpty():
                seen.append(rdd.toDF("n int, m int").groupBy("n").sum("m").collect())
            seen.append(SparkSession.builder.getOrCreate() is session)

        with by_hand(session.sparkContext) as ssc:
            ssc.queueStream([[(1, 2), (1, 3)]]).foreachRDD(with_sql)
            ssc.start()
            tick(ssc, 2)
            assert dict(session.conf.getAll) == before
            assert ssc.awaitTerminationOrTimeout(0) is False
        assert seen == ["a", [(1, 5)], True, "a", True]
        assert dict(session.conf.getAll) == before
        assert session.range(3).count() == 3
    finally:
        session.stop()


def test_a_session_made_after_the_start_works_in_outputs(
    live_sc: Callable[[], SparkContext],
) -> None:
    live_sc().stop()
    sc = live_sc()
    seen: list[Any] = []

    def count(rdd: Any) -> None:
        session = SparkSession.builder.config("spark.sql.shuffle.partitions", "5").getOrCreate()
        seen.append(session.createDataFrame(rdd, "n int").count())
        seen.append(session.conf.get("spark.sql.shuffle.partitions"))

    with by_hand(sc) as ssc:
        ssc.queueStream([[(1,), (2,)]]).foreachRDD(count)
        ssc.start()
        tick(ssc)
    assert seen == [2, "5"]


# -- falling behind ----------------------------------------------------------------------------


def test_a_slow_output_falls_behind_and_catches_up_tick_by_tick(sc: SparkContext) -> None:
    """No tick is lost, merged or given another time, and every one gets its own data."""
    ticks = 12
    seen = Seen()
    enough = threading.Event()
    submitted: list[int] = []

    class Submitted(StreamingListener):
        def onBatchSubmitted(self, batchSubmitted: Any) -> None:
            submitted.append(batchSubmitted.batchInfo().batchTime().milliseconds())
            if len(submitted) >= ticks:
                enough.set()

    note = seen.into()

    def slow(time: datetime, rdd: Any) -> None:
        if not seen.batches:
            assert enough.wait(LIMIT), "ticks stopped while an output was busy"
        note(time, rdd)

    ssc = StreamingContext(sc, 0.1)
    ssc.addStreamingListener(Submitted())
    stream = ssc.queueStream([[n] for n in range(500)])
    stream.map(lambda n: (0, n)).reduceByKey(max).map(lambda pair: pair[1]).foreachRDD(slow)
    ssc.start()
    try:
        seen.wait(2 * ticks)
    finally:
        ssc.stop(stopSparkContext=False)
    count = len(seen.batches)
    assert seen.batches == [[n] for n in range(count)]
    milliseconds = [round(moment.timestamp() * 1000) for moment in seen.times]
    assert milliseconds == [milliseconds[0] + 100 * n for n in range(count)]
    assert milliseconds[0] % 100 == 0
    assert submitted[:count] == milliseconds


def test_a_stop_drops_what_is_queued_behind_a_busy_output(sc: SparkContext) -> None:
    busy, release = threading.Event(), threading.Event()
    calls: list[int] = []

    def block(rdd: Any) -> None:
        calls.append(1)
        busy.set()
        release.wait(LIMIT)

    with by_hand(sc) as ssc:
        ssc.queueStream([[1]] * 9).foreachRDD(block)
        ssc.start()
        assert ssc._engine is not None
        ssc._engine.log_by_hand(3)
        assert busy.wait(LIMIT)
        freed = threading.Timer(3.0, release.set)  # after the grace of two seconds
        freed.start()
        began = time.monotonic()
        ssc.stop(stopSparkContext=False)
        took = time.monotonic() - began
        release.set()
        freed.join()
    assert calls == [1]
    assert 1.9 < took < 20
    assert ssc.awaitTerminationOrTimeout(0) is True
    assert spark_works(sc)


def test_a_start_that_fails_half_way_leaves_nothing_running(
    sc: SparkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries: list[Query] = []
    start = Query.start

    def noted(query: Query) -> None:
        queries.append(query)
        start(query)

    def fail(generator: Generator, first: int) -> None:
        raise OSError("no more threads")

    monkeypatch.setattr(Query, "start", noted)
    monkeypatch.setattr(Generator, "start", fail)
    with by_hand(sc) as ssc:
        ssc.queueStream([[1]]).pprint()
        with pytest.raises(OSError, match="no more threads"):
            ssc.start()
    assert [query._query.isActive for query in queries] == [False]
    assert StreamingContext.getActive() is None
