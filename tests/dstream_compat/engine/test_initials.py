"""Initial states over rebuilds: each comes once, at the first batch its operator has."""

from __future__ import annotations

from typing import Any

from dstream_compat import StreamingContext
from dstream_compat.engine.initial_state import InitialStates, initial_states_after
from dstream_compat.graph.compiler import compile_graph
from dstream_compat.graph.phases import in_phases
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.input.log import LogEntry
from dstream_compat.stages.partitions import Batch, portable_data, read_partition
from dstream_parity.engines.in_process import LocalContext

OLD, NEW = 10_000, 10_001  # numbers of initial states, by their order in the code


def kept(found: dict[int, int], logged: list[LogEntry], done: int) -> tuple[Any, InitialStates]:
    """Two operators, the second downstream of a transform, in a job that is rebuilt."""
    ssc = StreamingContext(LocalContext(1), 1)  # type: ignore[arg-type]
    stream = ssc._input("input", PartitionedSpec(()))
    count = lambda new, state: len(new)  # noqa: E731
    one = stream.updateStateByKey(count, 1, [("one", 1)])
    two = stream.transform(lambda rdd: rdd).updateStateByKey(count, 1, [("two", 2)])
    phases = in_phases([one._node, two._node])
    nodes = [phases.nodes[one._node], phases.nodes[two._node], *phases.imports.values()]
    plan = compile_graph(nodes, 1, phases)
    facts = initial_states_after(
        plan.operators, phases.imports, found, list(enumerate(logged, 1)), done
    )
    return facts, InitialStates(facts, plan.sources)


def entry(tick: int, *initials: int) -> LogEntry:
    data = {number: Batch((portable_data(["old"]),)) for number in initials}
    return LogEntry(tick, 0, {0: Batch(), **data})


def held(entry: LogEntry) -> dict[int, list[Any]]:
    return {
        number: [
            pair for part in batch.partitions for chunk in read_partition(part) for pair in chunk
        ]
        for number, batch in entry.batches.items()
        if number
    }


def test_an_operator_that_takes_over_old_state_gets_none() -> None:
    log = [entry(1000, OLD)]
    _, initials = kept({0: 0}, log, 1)
    assert initials.is_over(OLD, log)
    assert not initials.is_over(NEW, log)
    assert initials.is_over(NEW, [*log, entry(2000, OLD, NEW)])


def test_numbers_of_before_the_rebuild_mean_nothing() -> None:
    log = [entry(1000, OLD)]
    _, initials = kept({1: 0}, log, 1)
    assert not initials.is_over(OLD, log)
    assert initials.is_over(OLD, [*log, entry(2000, OLD)])


def test_the_first_batch_that_waits_has_the_initial_states_of_new_operators() -> None:
    log = [entry(1000, OLD), entry(2000, OLD), entry(3000, OLD)]
    facts, initials = kept({}, log, 1)
    assert facts == {"due": [OLD, NEW], "at": 2000, "until": 3000}
    assert [held(initials.amended(each)) for each in log[1:]] == [
        {OLD: [("one", 1)], NEW: [("two", 2)]},
        {},
    ]
    assert initials.is_over(OLD, log)
    new = entry(4000, OLD)
    assert initials.amended(new) is new


def test_without_a_rebuild_the_log_says_it_all() -> None:
    initials = InitialStates(None, ())
    assert not initials.is_over(OLD, [])
    assert initials.is_over(OLD, [entry(1000, OLD)])
    first = entry(1000, OLD)
    assert initials.amended(first) is first
