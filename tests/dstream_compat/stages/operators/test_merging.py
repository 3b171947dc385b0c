"""When a merge goes to disk."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark import SparkContext, shuffle

from dstream_compat.stages.operators import wide
from dstream_parity import Seen, replay
from tests.dstream_compat.engine.hand_driven import setting

PAIRS = [[[[("a", 1)], [("b", 2)], [("c", 3)]]]]
IN_ORDER = Seen(((("a", 1), ("b", 2), ("c", 3)),))


def sizes(values: list[Any], state: Any) -> int:
    return int(sum(values) + (state or 0))


def test_in_process_the_order_of_keys_does_not_depend_on_how_big_the_process_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shuffle, "get_used_memory", lambda: 64 * 1024)
    for build in (
        lambda s: s.updateStateByKey(sizes, 1),
        lambda s: s.reduceByKey(max, 1),
        lambda s: s.transform(lambda rdd: rdd.reduceByKey(max, 1)),
    ):
        assert replay(lambda ssc, i, b=build: [b(i[0])], PAIRS, "in-process") == [[IN_ORDER]]


@pytest.mark.parametrize(("memory", "limit_mb"), [("512m", 460), ("2g", 1843)])
def test_a_big_worker_spills_as_the_legacy_engine_does(
    memory: str, limit_mb: int, sc: SparkContext
) -> None:
    def limit(*_: Any) -> int:
        return wide.merge_memory()

    with setting(sc, spark__python__worker__memory=memory):
        (in_order,), (limits,) = replay(
            lambda ssc, i: [i[0].reduceByKey(max, 1), i[0].updateStateByKey(limit, 1)], PAIRS, sc=sc
        )
    assert in_order == IN_ORDER
    assert limits == Seen(((("a", limit_mb), ("b", limit_mb), ("c", limit_mb)),))
