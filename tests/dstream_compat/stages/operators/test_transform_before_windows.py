"""Windows behind a transform that fails, or gives no RDD: what the legacy engine does."""

from __future__ import annotations

from typing import Any

from dstream_parity import Missing, Raised, Seen, replay

BATCHES = [[[[("a", 1)], [("b", 2)]]], [[[("x", 1)]]], [[[("a", 3)]]], [[[("b", 4)]]]]
FAILED = Raised("ValueError", "saw x")
NO_RDD = Raised("AttributeError", "'NoneType' object has no attribute 'combineByKey'")


def has_x(rdd: Any) -> bool:
    return "x" in [key for key, _ in rdd.collect()]


def fails_on_x(rdd: Any) -> Any:
    if has_x(rdd):
        raise ValueError("saw x")
    return rdd


def nothing_on_x(rdd: Any) -> Any:
    return None if has_x(rdd) else rdd


def kinds(outcomes: list[Any]) -> list[Any]:
    return ["seen" if isinstance(outcome, Seen) else outcome for outcome in outcomes]


def test_a_window_fails_as_long_as_a_failed_transform_is_in_it() -> None:
    for build in (
        lambda s: s.transform(fails_on_x).window(2, 1),
        lambda s: s.transform(fails_on_x).map(tuple).window(2, 1),
        lambda s: s.transform(fails_on_x).partitionBy(2).window(2, 1),
        lambda s: s.transform(fails_on_x).reduceByKeyAndWindow(max, None, 2, 1),
        lambda s: s.transform(fails_on_x).reduceByKeyAndWindow(max, min, 2, 1),
        lambda s: s.transform(fails_on_x).updateStateByKey(len_of_both).window(2, 1),
    ):
        (outcomes,) = replay(lambda ssc, i, b=build: [b(i[0])], BATCHES, "in-process")
        assert kinds(outcomes) == ["seen", FAILED, FAILED, "seen"]


def len_of_both(values: list[Any], state: Any) -> int:
    return len(values) + (state or 0)


def test_a_transform_without_a_result_fails_the_reduced_windows_over_it() -> None:
    for inverse in (None, min):
        (outcomes,) = replay(
            lambda ssc, i, inverse=inverse: [
                i[0].transform(nothing_on_x).reduceByKeyAndWindow(max, inverse, 2, 1)
            ],
            BATCHES,
            "in-process",
        )
        assert kinds(outcomes) == ["seen", NO_RDD, NO_RDD, "seen"]


def test_a_transform_without_a_result_is_no_batch_of_a_plain_window() -> None:
    (outcomes,) = replay(
        lambda ssc, i: [i[0].transform(nothing_on_x).window(2, 1)], BATCHES, "in-process"
    )
    assert outcomes[1] == Seen(((("a", 1),), (("b", 2),)))
    assert outcomes[2] == Seen(((("a", 3),),))


def test_state_ignores_a_tick_whose_transform_failed() -> None:
    (outcomes,) = replay(
        lambda ssc, i: [i[0].transform(fails_on_x).updateStateByKey(len_of_both, 1)],
        BATCHES,
        "in-process",
    )
    assert outcomes[1] == FAILED
    assert outcomes[2] == Seen(((("a", 2), ("b", 1)),))


def test_outputs_behind_a_window_of_no_length_with_an_inverse_are_never_called() -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        void = inputs[0].reduceByKeyAndWindow(max, min, 0, 1)
        return [
            void,
            void.mapValues(str).reduceByKey(max),
            inputs[0].countByWindow(0, 1),
            void.updateStateByKey(len_of_both),
            void.window(2, 1),
            void.union(inputs[0]),
        ]

    *never, window, union = replay(build, BATCHES, "in-process")
    assert never == [[Missing()] * 4] * 4
    assert window == [Seen(())] * 4
    assert union[3] == Seen(((("b", 4),),))
