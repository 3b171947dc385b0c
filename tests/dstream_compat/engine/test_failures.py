"""User functions that go wrong: a batch fails, and nothing else does."""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat.engine import materialise
from dstream_compat.input import generator
from dstream_compat.input.storage import LocalStorage
from dstream_parity import Batches, Outcomes, Raised, Seen
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine.hand_driven import LIMIT, by_hand, collected, setting


def line_after(function: Callable[..., Any]) -> str:
    """The place, as errors name it, of a one-line lambda."""
    code = function.__code__
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def test_a_raising_map_fails_the_outputs_that_need_it(sc: SparkContext) -> None:
    invert = lambda x: 1 // x  # noqa: E731
    first: list[Any] = []
    with by_hand(sc) as job:
        numbers = job.partitioned([[1], [0]], [[1], [1]])
        # the place of the operator is its call, not its function
        inverted = numbers.map(invert)
        here = sys._getframe().f_lineno - 1
        taken: list[Any] = []
        inverted.foreachRDD(lambda rdd: taken.append(rdd.take(1)))
        inverted.foreachRDD(lambda rdd: first.append(rdd.collect()))
        others = collected(numbers)
        job.ssc.start()
        job.tick()
        text = job.error()
        assert f"in map at test_failures.py:{here}:" in text
        assert "ZeroDivisionError: integer division or modulo by zero" in text
        assert line_after(invert).replace(":", '", line ') in text
        assert "dstream_compat/stages/run.py" not in text
        job.tick()
    assert taken == [[1], [1]]  # the error is in a partition that take does not look at
    assert first == [[1, 1]]
    assert others == [[0, 1], [1, 1]]


# One input of pairs, for errors, and one of numbers, for elements that cannot be pickled.
BATCHES: Batches = [
    [[[("a", 1), ("a", 13)], [("b", 3)]], [[1], [0]]],
    [[[("a", 1)], [("a", 13)]], [[1], [2]]],
    [[[("a", 1)], [("a", 98), ("b", 99)]], []],
    [[[("a", 1), ("a", 2)], [("b", 3)]], []],
]


def failing(ssc: Any, inputs: list[Any]) -> list[Any]:
    pairs, numbers = inputs

    def merge(a: int, b: int) -> int:
        if b == 13:
            raise ValueError("unlucky")
        return a + b

    def leave(x: Any) -> Any:
        if x[1] == 99:
            sys.exit(3)
        return x

    summed = pairs.reduceByKey(merge, 2)
    locks = numbers.map(lambda x: threading.Lock() if x == 0 else x)
    keyed = numbers.map(lambda x: (x, threading.local() if x == 0 else x))
    return [
        *(pairs, summed, summed.map(leave), pairs.map(leave), summed.union(pairs)),
        *(locks, keyed.groupByKey(2).mapValues(list), numbers),
    ]


@pytest.fixture(scope="module")
def legacy(live_sc: Callable[[], SparkContext]) -> Outcomes:
    return replay_legacy(failing, BATCHES, sc=live_sc())


@pytest.fixture(scope="module")
def ours(live_sc: Callable[[], SparkContext]) -> Outcomes:
    return replay_on_spark(failing, BATCHES, sc=live_sc())


def test_errors_on_either_side_of_an_exchange_are_those_of_the_legacy_engine(
    legacy: Outcomes, ours: Outcomes
) -> None:
    pairs, summed, left_behind, left, _ = ours[:5]
    assert ours[:5] == legacy[:5]
    assert summed[0] == summed[1] == Raised("ValueError", "unlucky")
    assert left_behind[2] == left[2] == Raised("SystemExit", "3")
    assert all(isinstance(outcome, Seen) for outcome in pairs)
    assert all(isinstance(output[3], Seen) for output in ours)


def test_elements_that_cannot_be_pickled_fail_their_output(
    legacy: Outcomes, ours: Outcomes
) -> None:
    locks, keyed, numbers = ours[5:]
    assert ours[5:] == legacy[5:]
    assert isinstance(locks[0], Raised)
    assert "cannot pickle '_thread.lock' object" in locks[0].text
    assert isinstance(keyed[0], Raised)
    assert all(isinstance(outcome, Seen) for outcome in [*numbers, *locks[1:], *keyed[1:]])


def test_errors_are_the_same_where_batches_share_a_micro_batch(
    sc: SparkContext, ours: Outcomes
) -> None:
    assert replay_on_spark(failing, BATCHES, sc=sc, together=len(BATCHES)) == ours


@pytest.mark.parametrize(
    ("together", "downstream", "cached"),
    [(1, False, False), (4, False, False), (4, True, False), (4, True, True)],
    ids=["one-tick", "many-before-exchange", "many-after-exchange", "many-cached"],
)
def test_a_worker_that_dies_costs_its_own_tick_only(
    sc: SparkContext,
    monkeypatch: pytest.MonkeyPatch,
    together: int,
    downstream: bool,
    cached: bool,
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        (pairs,) = inputs

        def die(pair: Any) -> Any:
            if pair[1] == 13:
                os._exit(1)
            return pair

        if downstream:
            return [pairs.reduceByKey(lambda a, b: a + b, 2).map(die)]
        return [pairs.map(die).reduceByKey(lambda a, b: a + b, 2)]

    monkeypatch.setattr(materialise, "SMALL_INPUT", -1 if cached else materialise.SMALL_INPUT)

    batches: Any = [[[[("a", n)], [("b", 20)]]] for n in (1, 13, 2, 3)]
    (outcomes,) = replay_on_spark(build, batches, sc=sc, together=together)
    assert isinstance(outcomes[1], Raised)
    assert "worker" in outcomes[1].text
    for outcome, n in ((outcomes[0], 1), (outcomes[2], 2), (outcomes[3], 3)):
        assert isinstance(outcome, Seen), outcome
        assert sorted(sum(outcome.partitions, ())) == [("a", n), ("b", 20)]


def test_a_function_that_never_returns_does_not_hold_up_stop(
    sc: SparkContext, tmp_path: Path
) -> None:
    def forever(x: int) -> int:
        (tmp_path / "looping").touch()
        while True:
            pass

    with by_hand(sc) as job:
        seen = collected(job.partitioned([[1]]).map(forever))
        job.ssc.start()
        waiting = threading.Thread(target=_ignore_errors, args=(job.tick,), daemon=True)
        waiting.start()
        until = time.monotonic() + LIMIT
        while not (tmp_path / "looping").exists():
            waiting.join(0.05)
            assert time.monotonic() < until
        began = time.monotonic()
        job.ssc.stop(stopSparkContext=False)
        assert time.monotonic() - began < 15
        assert seen == []
    with by_hand(sc) as job:
        seen = collected(
            job.partitioned([[1], [2], [3]]).map(lambda x: (x % 2, x)).reduceByKey(max, 2)
        )
        job.ssc.start()
        job.tick()
        assert len(seen[0]) == 2


def _ignore_errors(function: Callable[[], Any]) -> None:
    try:
        function()
    except Exception:
        return


def test_a_disk_that_is_full_for_a_moment_is_told_and_loses_no_batch(
    sc: SparkContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator, "_RETRY", 0.01)
    write, entries = LocalStorage.write, []

    def full_once(self: LocalStorage, name: str, content: bytes) -> None:
        if name.isdigit():
            entries.append(name)
            if len(entries) in (2, 3):
                raise OSError(28, "No space left on device")
        write(self, name, content)

    monkeypatch.setattr(LocalStorage, "write", full_once)
    with by_hand(sc) as job:
        seen: list[Any] = []
        done = threading.Event()

        def see(rdd: Any) -> None:
            seen.extend(rdd.collect())
            if len(seen) == 3:
                done.set()

        job.partitioned([[1]], [[2]], [[3]]).foreachRDD(see)
        job.ssc.start()
        job.clock.advance(3000)  # the generator's own thread
        assert done.wait(LIMIT)
        assert "batch 2000 could not be logged yet: OSError: [Errno 28] No space" in job.error()
    assert seen == [1, 2, 3]
    assert [int(name) for name in entries] == [1, 2, 2, 2, 3]


@pytest.mark.parametrize("wide", [False, True])
def test_outputs_that_together_are_too_large_for_the_driver_stay_on_the_executors(
    wide: bool, sc: SparkContext
) -> None:
    with setting(sc, spark__driver__maxResultSize="1m"), by_hand(sc) as job:
        numbers = job.partitioned(*[[[n] for n in range(8)]] * 2).map(lambda n: os.urandom(300_000))
        sums: list[Any] = []
        stream = numbers.repartition(8) if wide else numbers
        stream.foreachRDD(lambda rdd: sums.append((rdd.map(len).sum(), rdd._inline)))
        job.ssc.start()
        job.tick()
        job.tick()
        assert job.error() == ""
    assert sums == [(2_400_000, False)] * 2


def test_an_error_with_an_endless_text_is_cut_and_the_query_lives(sc: SparkContext) -> None:
    def shout(x: int) -> int:
        if x == 0:
            raise ValueError("start" + "x" * 200_000 + "end")
        return x

    with by_hand(sc) as job:
        numbers = job.partitioned([[0]], [[1]])
        seen = collected(numbers.map(shout))
        downstream = collected(
            numbers.map(lambda x: (x, x)).groupByKey(2).map(lambda kv: kv[0]).map(shout)
        )
        job.ssc.start()
        job.tick(2)
    for texts in (seen, downstream):
        assert "ValueError: startxxx" in texts[0]
        assert "xxxend" in texts[0]
        assert len(texts[0]) < 20_000
        assert texts[1] == [1]


def test_a_module_the_workers_lack_is_named_and_may_come_later(
    sc: SparkContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_in_the_driver.py").write_text("def double(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(tmp_path)
    double = importlib.import_module("only_in_the_driver").double
    with by_hand(sc) as job:
        numbers = job.partitioned([[1]], [[2]])
        seen = collected(numbers.map(double))
        downstream = collected(numbers.map(lambda x: (x, x)).reduceByKey(max, 2).mapValues(double))
        job.ssc.start()
        job.tick()
        sc.addPyFile(str(tmp_path / "only_in_the_driver.py"))
        job.tick()
    assert "No module named 'only_in_the_driver'" in seen[0]
    assert "No module named 'only_in_the_driver'" in downstream[0]
    assert (seen[1], downstream[1]) == ([4], [(2, 4)])


def test_the_first_error_stops_the_job_where_that_is_asked_for(sc: SparkContext) -> None:
    with setting(sc, spark__dstream_compat__stopOnError="true"), by_hand(sc) as job:
        calls: list[int] = []

        def fail(rdd: Any) -> None:
            calls.append(1)
            raise ValueError("enough")

        job.partitioned([[1]], [[2]]).foreachRDD(fail)
        job.ssc.start()
        job.tick()
        with pytest.raises(Exception, match="ValueError: enough"):
            job.ssc.awaitTermination(LIMIT)
        assert job.ssc._engine is not None
        assert job.ssc._engine._ended.wait(LIMIT)
        assert calls == [1]
        assert job.ssc.getActive() is None
