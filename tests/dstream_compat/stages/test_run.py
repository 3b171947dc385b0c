"""What a stage does to frames: errors travel, and consumers do not disturb each other."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import dstream_compat
from dstream_compat.context import StreamingContext
from dstream_compat.graph.compiler import Plan, compile_graph
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.chunks import chunks, dumps
from dstream_compat.stages.frames import (
    ERROR,
    MARK,
    OPEN,
    Frame,
    Tick,
    elements,
    heavy,
    light,
)
from dstream_compat.stages.partitions import Batch, BrokenPartition, Data, portable_data
from dstream_compat.stages.run import run_input, run_stage
from dstream_compat.stages.tasks import EVERY, Setting, Task
from dstream_parity import Raised, Seen
from dstream_parity.engines.in_process import LocalContext, replay_in_process, run_plan

OURS = os.path.dirname(dstream_compat.__file__)


def planned(build: Callable[[Any], list[Any]]) -> Plan:
    ssc = StreamingContext(LocalContext(2), 1)  # type: ignore[arg-type]
    return compile_graph([s._node for s in build(ssc._input("input", PartitionedSpec(())))])


def task(*partitions: Any) -> Task:
    rows = tuple((1000, 0, index, portable_data(part)) for index, part in enumerate(partitions))
    return Task(rows, ((1000, Tick(0, {0: len(partitions)})),), announces=True)


def fail_on_two(x: int) -> int:
    if x == 2:
        raise ValueError("two")
    return x


def test_what_came_before_an_error_is_delivered_before_it() -> None:
    plan = planned(lambda s: [s.map(fail_on_two)])
    frames = list(run_input(plan.stages[0], task([1, 2, 3]), Setting(plan.functions, 1)))
    kinds = [(frame.seq, frame.chunk) for frame in frames if frame.route != MARK]
    assert kinds[:2] == [(OPEN, b""), (0, dumps([1]))]
    assert kinds[2][0] == ERROR


def test_an_error_names_the_operator_and_the_line_that_built_it() -> None:
    plan = planned(lambda s: [s.filter(bool).map(fail_on_two).map(str)])
    frames = list(run_input(plan.stages[0], task([2]), Setting(plan.functions, 1)))
    text = frames[-1].chunk.decode()
    assert text.startswith("in map at test_run.py:")
    assert text.endswith("ValueError: two")
    assert OURS not in text  # our own frames say nothing to a user


def test_every_exception_of_a_chain_has_a_traceback_without_our_frames() -> None:
    def fail(x: int) -> float:
        try:
            return x / 0
        except ZeroDivisionError as error:
            raise ValueError("no") from error

    def ended(part: Any) -> Any:
        return (next(part) for _ in range(2))  # a RuntimeError with no line of the user's

    plan = planned(lambda s: [s.map(fail), s.mapPartitions(ended)])
    frames = list(run_input(plan.stages[0], task([1]), Setting(plan.functions, 1)))
    first, second = (frame.chunk.decode() for frame in frames if frame.seq == ERROR)
    assert first.count("Traceback (most recent call last):") == 2
    assert (
        first.index("ZeroDivisionError: ") < first.index("direct cause") < first.index("ValueErr")
    )
    assert second.endswith("RuntimeError: generator raised StopIteration")
    assert OURS not in first + second


def test_an_error_may_hold_half_a_surrogate_pair() -> None:
    def fail(x: str) -> str:
        raise ValueError(x)

    plan = planned(lambda s: [s.map(fail)])
    frames = list(run_input(plan.stages[0], task(["a \udc80"]), Setting(plan.functions, 1)))
    assert frames[-1].chunk.decode().endswith("ValueError: a \\udc80")


def test_an_error_before_an_exchange_fails_every_partition_behind_it() -> None:
    plan = planned(lambda s: [s.map(lambda x: (fail_on_two(x), 1)).reduceByKey(max, 3)])
    entry = LogEntry(1000, 0, {0: Batch((portable_data([1]), portable_data([2])))})
    frames = run_plan(plan, [entry], slots=2)
    assert {frame.part for frame in frames if frame.seq == ERROR} == {0, 1, 2}


def test_a_partition_that_cannot_be_read_is_an_error_where_it_is_used() -> None:
    plan = planned(lambda s: [s.count(), s])
    frames = run_plan(plan, [LogEntry(1000, 0, {0: Batch((BrokenPartition("gone"),))})], slots=1)
    errors = [frame.chunk.decode() for frame in frames if frame.seq == ERROR]
    assert len(errors) == 2
    assert all("gone" in error for error in errors)


def test_consumers_of_a_stream_do_not_share_objects() -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        lists = inputs[0].map(lambda x: [x])
        return [lists.map(lambda xs: xs.append(0) or xs), lists.map(lambda xs: xs.append(9) or xs)]

    outcomes = replay_in_process(build, [[[[1]]]])
    assert outcomes == [[Seen((([1, 0],),))], [Seen((([1, 9],),))]]


def test_consumers_of_a_failing_stream_meet_the_original_exception() -> None:
    def rescued(part: Any) -> Any:
        try:
            yield from part
        except ValueError:
            yield "rescued"

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        failing = inputs[0].map(fail_on_two)
        return [failing.mapPartitions(rescued), failing]

    outcomes = replay_in_process(build, [[[[1, 2, 3]]]])
    assert outcomes == [[Seen(((1, "rescued"),))], [Raised("ValueError", "two")]]


def test_system_exit_in_a_function_is_an_error_of_its_batch() -> None:
    outcomes = replay_in_process(lambda ssc, i: [i[0].map(lambda x: exit(x))], [[[[3]]], [[[]]]])
    assert outcomes == [[Raised("SystemExit", "3"), Seen(((),))]]


def test_stop_iteration_ends_a_partition_silently_as_it_always_did() -> None:
    def stop(x: int) -> int:
        if x == 2:
            raise StopIteration
        return x

    assert replay_in_process(lambda ssc, i: [i[0].map(stop)], [[[[1, 2, 3]]]]) == [[Seen(((1,),))]]


@pytest.mark.parametrize("poisoned", [{1000: "a worker died"}, {EVERY: "a worker died"}])
def test_nothing_of_a_poisoned_tick_is_computed(poisoned: dict[int, str]) -> None:
    called: list[int] = []
    plan = planned(lambda s: [s.map(called.append), s.union(s)])
    setting = Setting(plan.functions, 1, poisoned=poisoned)
    frames = list(run_input(plan.stages[0], task([1], [2]), setting))
    assert called == []
    assert {frame.seq for frame in frames if frame.route != MARK} == {ERROR}


def test_output_frames_past_the_budget_are_heavy_and_may_lose_their_bytes() -> None:
    plan = planned(lambda s: [s])
    for drops, expected in ((False, dumps([2])), (True, b"")):
        setting = Setting(plan.functions, 1, inline=len(dumps([1])), drops=drops)
        frames = list(run_input(plan.stages[0], task([1], [2]), setting))
        sent = [(frame.src, frame.chunk) for frame in frames if frame.seq == 0 and frame.route > 0]
        assert sent == [(light(1), dumps([1])), (heavy(1), expected)]


def test_a_stage_passes_on_what_is_not_its_business() -> None:
    plan = planned(lambda s: [s.map(lambda x: (x, 1)).reduceByKey(max)])
    foreign = Frame(77, 1000, 0, 0, 0, b"x")
    assert foreign in list(run_stage(plan.stages[1], [foreign], Setting(plan.functions, 2)))


def test_no_chunk_is_much_larger_than_some_megabytes() -> None:
    cut = list(chunks(bytes([n]) * 1_000_000 for n in range(100)))
    assert max(len(chunk) for _, chunk in cut) < 5_000_000
    assert sum(records for records, _ in cut) == 100
    assert [element[0] for _, chunk in cut for element in pickle.loads(chunk)] == list(range(100))
    alone = [records for records, _ in chunks([b"", bytes(9_000_000), b"", b""])]
    assert alone == [1, 1, 2]


def test_large_elements_are_not_gathered_by_the_hundred() -> None:
    made: list[int] = []

    def large(n: int) -> bytes:
        made.append(n)
        return bytes(1_000_000)

    next(chunks(map(large, range(1000))))
    assert len(made) <= 8


def test_large_elements_cross_an_exchange_in_order() -> None:
    values = [bytes([n]) * 2_000_000 for n in range(10)]
    plan = planned(lambda s: [s.map(lambda value: ("k", value)).partitionBy(1)])
    sent = list(run_input(plan.stages[0], task(values), Setting(plan.functions, 1)))
    frames = [frame for frame in sent if frame.route != MARK]
    assert len(frames) > 2
    assert [value for _, value in elements(frames)] == values


def test_chunks_give_what_came_before_an_error_first() -> None:
    found = chunks(map(fail_on_two, [0, 1, 2]))
    assert next(found) == (2, dumps([0, 1]))
    with pytest.raises(ValueError, match="two"):
        next(found)


def test_data_that_cannot_be_pickled_is_an_error_of_its_output() -> None:
    (outcome,) = replay_in_process(
        lambda ssc, i: [i[0].map(lambda x: (y for y in range(x)))], [[[[1]]]]
    )[0]
    assert isinstance(outcome, Raised)
    assert "generator" in outcome.text


def test_a_data_partition_knows_its_records() -> None:
    assert portable_data(range(2500)) == Data(portable_data(range(2500)).chunks, 2500)
    assert len(portable_data(range(2500)).chunks) == 3
