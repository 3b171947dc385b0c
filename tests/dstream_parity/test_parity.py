"""assert_parity: what it says when engines differ. Here the second engine is broken on purpose."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest

from dstream_compat.stages.operators.narrow import NARROW
from dstream_parity import Batches, Outcomes, ParityError, assert_parity, parity, replay
from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Input, MethodCall, Pipeline
from dstream_parity.order import keeps_order
from dstream_parity.parity import assert_parity_on
from dstream_parity.shrink import Case

BATCHES: Batches = [[[["x", "secret"], []]], [[["y"], ["x", "x"]]], [[["z"]]]]


def without_repeats(function: Any, index: int, part: Iterator[Any]) -> Iterator[Any]:
    previous = None
    for element in map(function, part):
        if element != previous:
            yield element
        previous = element


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both engines run in process; "compat" loses repeated elements."""

    def in_process(pipeline: Any, batches: Batches, engine: str, **options: Any) -> Outcomes:
        del options["sc"]
        mutant = {"map": without_repeats} if engine == "compat" else {}
        with patch.dict(NARROW, mutant):
            return replay(pipeline, batches, "in-process", **options)

    monkeypatch.setattr(parity, "replay", in_process)


def texts(ssc: Any, inputs: list[Any]) -> list[Any]:
    return [inputs[0].count(), inputs[0].filter(bool).map(f.text)]


@pytest.mark.usefixtures("broken")
def test_the_message_has_the_code_the_smallest_batches_and_both_sides() -> None:
    with pytest.raises(ParityError) as caught:
        assert_parity(texts, BATCHES)
    assert str(caught.value).splitlines() == [
        "output 1, tick 0: the elements differ",
        "  legacy only: 'x'",
        "  compat only: nothing",
        "",
        "The pipeline:",
        "    def texts(ssc: Any, inputs: list[Any]) -> list[Any]:",
        "        return [inputs[0].count(), inputs[0].filter(bool).map(f.text)]",
        "",
        "The batches, as [tick][input][partition]:",
        "    [",
        "        [[['x', 'x']]],",
        "    ]",
        "",
        "Output 1, legacy:",
        "    tick 0: ['x', 'x']",
        "",
        "Output 1, compat:",
        "    tick 0: ['x']",
    ]


@pytest.mark.usefixtures("broken")
def test_a_random_pipeline_is_cut_down_too() -> None:
    node = MethodCall(
        MethodCall(MethodCall(Input(0), "filter", (f.even_length,)), "map", (f.tag,)), "glom"
    )
    with pytest.raises(ParityError) as caught:
        assert_parity(Pipeline((Input(0), node), (True, True)), [[[["ab", "ab"]]], *BATCHES])
    message = str(caught.value)
    assert "    def pipeline(ssc, inputs):\n        return [inputs[0].map(tag)]\n" in message
    assert "[[['ab', 'ab']]]" in message


@pytest.mark.usefixtures("broken")
def test_smaller_pipelines_that_cannot_be_built_do_not_hide_the_difference() -> None:
    slow, other = (MethodCall(Input(number), "window", (2, 2)) for number in range(2))
    node = MethodCall(MethodCall(slow, "union", (other,)), "map", (f.tag,))
    with pytest.raises(ParityError) as caught:
        assert_parity(Pipeline((node,), (True,)), [[[["x", "x"]], [["y"]]]] * 2)
    assert "return [inputs[0].map(tag)]" in str(caught.value)


def test_a_case_that_breaks_down_is_asked_for_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = parity._Judge()
    case = Case(texts, BATCHES)
    found = parity.Difference(0, 0, "the elements differ")

    def compare(self: Any, cases: Any) -> Any:
        if BATCHES[:1] in [case.batches for case in cases]:
            raise TimeoutError
        return [found for _ in cases]

    monkeypatch.setattr(parity._Judge, "compare", compare)
    assert judge.fail([case, Case(texts, BATCHES[:1]), case]) == [True, False, True]


@pytest.mark.usefixtures("broken")
def test_with_restarts_as_many_ticks_are_kept_as_they_need() -> None:
    with pytest.raises(ParityError) as caught:
        assert_parity(texts, BATCHES, restarts=[2])
    assert caught.value.args[0].count("\n        [[") == 3
    assert "[[['x', 'x']]]" in str(caught.value)


@pytest.mark.usefixtures("broken")
def test_no_values_are_shown_where_that_is_asked_for() -> None:
    with pytest.raises(ParityError) as caught:
        assert_parity(texts, BATCHES, hide_values=True, shrink_seconds=0)
    message = str(caught.value)
    assert "secret" not in message
    assert message.startswith("output 1, tick 1: the elements differ\n\nThe pipeline:")
    assert "    tick 1: [1, 2]" in message
    assert "    tick 1: [str | str, str]" in message
    assert "    tick 1: [str | str]" in message


def test_no_values_are_shown_of_a_reference_that_differs_from_itself() -> None:
    built = itertools.count()

    def restless(ssc: Any, inputs: list[Any]) -> list[Any]:
        number = next(built)

        def sometimes(x: str) -> str:
            if number % 2:
                raise ValueError(f"invalid literal: {x}")
            return x

        return [inputs[0].map(sometimes)]

    with pytest.raises(ParityError) as caught:
        assert_parity(
            restless, BATCHES[:1], reference="in-process", engine="in-process", hide_values=True
        )
    assert "secret" not in str(caught.value)
    assert "output 0, tick 0: the outcomes differ" in str(caught.value)
    assert "secret" not in printed(caught)


def printed(caught: pytest.ExceptionInfo[ParityError]) -> str:
    """What pytest prints: the arguments of the first and the last function, too."""
    return str(caught.getrepr(style="long", funcargs=True, tbfilter=True))


@pytest.mark.usefixtures("broken")
def test_pytest_shows_no_values_as_arguments() -> None:
    with pytest.raises(ParityError) as caught:
        assert_parity(texts, BATCHES, hide_values=True, shrink_seconds=0)
    assert "secret" not in printed(caught)


@pytest.mark.usefixtures("broken")
def test_several_sequences_of_batches_are_compared_at_once() -> None:
    with pytest.raises(ParityError, match=r"\[\[\['x', 'x'\]\]\]"):
        assert_parity_on(texts, [[[[["a"]]]], BATCHES])


def test_engines_that_agree_pass() -> None:
    assert_parity(texts, BATCHES, reference="in-process", engine="in-process")


def test_a_reference_that_differs_from_itself_is_named() -> None:
    built = itertools.count()

    def restless(ssc: Any, inputs: list[Any]) -> list[Any]:
        number = next(built)
        return [inputs[0].map(lambda x: (number, x))]

    with pytest.raises(ParityError) as caught:
        assert_parity(restless, BATCHES[:1], reference="in-process", engine="in-process")
    message = str(caught.value)
    assert message.startswith('The engine "in-process" does not agree with itself')
    assert "the first time only: (" in message


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        (lambda ssc, i: [i[0].map(len).union(i[1]).window(2)], [True]),
        (lambda ssc, i: [i[0].reduceByKey(f.concat), i[0].glom()], [False, True]),
        (lambda ssc, i: [i[0].transform(f.unchanged), i[0].updateStateByKey(f.total)], [False] * 2),
        (lambda ssc, i: [i[0].repartition(2)], [False]),
    ],
)
def test_order_counts_where_no_element_changes_its_partition(pipeline: Any, expected: Any) -> None:
    assert keeps_order(pipeline, 2) == expected


@pytest.mark.usefixtures("broken")
def test_order_is_compared_where_asked_for() -> None:
    def turned(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0].repartition(1)]

    assert_parity(turned, BATCHES, ordered=True, partitions=False)
    assert_parity(turned, BATCHES, ordered=[False])
