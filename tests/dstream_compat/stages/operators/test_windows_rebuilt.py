"""A window of another length goes on with the batches it has, and leaves nothing behind."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from dstream_compat import StreamingContext
from dstream_compat.graph.specs import PartitionedSpec
from dstream_compat.stages.state.store import _USAGE, unpacked
from dstream_parity import Batches
from dstream_parity.engines.in_process import LocalContext, _entries, _Run

BATCHES: Batches = [[[[(n % 3, 1)], [(f"key {n}", 1)]]] for n in range(16)]
INVERSE = (lambda a, b: a + b, lambda a, b: a - b)


def job(functions: Any, seconds: int) -> _Run:
    ssc = StreamingContext(LocalContext(2), 1)  # type: ignore[arg-type]
    pairs = ssc._input("input", PartitionedSpec(()))
    reduced = pairs.reduceByKeyAndWindow(*functions, seconds, 1, 2, lambda pair: pair[1] > 0)
    return _Run([reduced._node], 1)


def measured(run: _Run) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Entries and bytes of every partition: as noted, and as they are."""
    noted, real = {}, defaultdict(lambda: [0, 0])
    for store in run._states.values():
        for (operator, part, space, _), value in store.values.items():
            if space == _USAGE:
                noted[operator, part] = list(unpacked(value))
            else:
                real[operator, part][0] += 1
                real[operator, part][1] += len(value)
    return noted, dict(real)


@pytest.mark.parametrize("functions", [INVERSE, (INVERSE[0], None)])
@pytest.mark.parametrize("seconds", [2, 5, 6, 9])
def test_a_rebuilt_window(seconds: int, functions: Any) -> None:
    old, new, fresh = job(INVERSE, 6), job(functions, seconds), job(functions, seconds)
    entries = list(_entries(old.plan, BATCHES, 1000))
    for entry in entries[:8]:
        old.micro_batch([entry])
    new._states.update(old._states)
    for entry in entries[8:]:
        new.micro_batch([entry])
    for entry in entries:
        fresh.micro_batch([entry])
    # what had left the shorter window is missing for a while
    settled = max(0, seconds - 6)
    assert as_sets(new)[settled:] == as_sets(fresh)[8 + settled :]
    assert measured(new) == measured(fresh)
    assert measured(new)[0] == measured(new)[1]


def as_sets(run: _Run) -> list[set[Any]]:
    return [set(sum(outcome.partitions, ())) for outcome in run.outcomes[0]]  # type: ignore[union-attr]
