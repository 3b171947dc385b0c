from __future__ import annotations

import datetime
from collections import Counter, OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dstream_parity import Missing, Outcome, Outcomes, Raised, Seen, difference, raised
from dstream_parity.base.compare import ELEMENTS, surplus
from dstream_parity.strategies.elements import awkward, hashables
from dstream_parity.verify.child.facets import RDD, Facet, OutputOp
from dstream_parity.verify.judging.differences import described_difference
from dstream_parity.verify.judging.verdict import Rules

NAN = float("nan")
Point = namedtuple("Point", "x y")
Spot = namedtuple("Spot", "x y")


@dataclass
class Account:
    owner: str
    sums: list[Any]


class ResultIterable:
    """Stands in for pyspark's class of that name, which compare must know without pyspark."""

    def __init__(self, data: list[Any]) -> None:
        self.data = data

    def __iter__(self) -> Any:
        return iter(self.data)


def one(*partitions: list[Any]) -> Outcomes:
    return [[Seen(tuple(map(tuple, partitions)))]]


def test_a_multiset_is_not_a_set() -> None:
    message = difference(one(["a", "a", "b"]), one(["a", "b", "b"]))
    assert message is not None
    assert message.splitlines() == [
        "output 0, tick 0: the elements differ",
        "  expected only: 'a'",
        "  actual only: 'b'",
    ]


def nothing(value: Any) -> Any:
    return value


NESTINGS: list[Callable[[Any], Any]] = [
    nothing,
    lambda v: (1, v),
    lambda v: [[v]],
    lambda v: {"k": v},
    lambda v: frozenset([v]),
    lambda v: {(v,): 1},
    lambda v: ResultIterable([v]),
    lambda v: Point(v, 0),
    lambda v: Account("a", [v]),
    lambda v: OrderedDict(k=v),
]


@pytest.mark.parametrize("nest", NESTINGS)
@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (1, True),
        (1.0, True),
        (0, False),
        (0.0, -0.0),
        ("a", b"a"),
        (None, 0),
        ((), None),
        ((1,), Point),
        (2**70, float(2**70)),
        (NAN, None),
        (Decimal(1), 1),
    ],
)
def test_values_of_other_types_differ_at_any_depth(
    nest: Callable[[Any], Any], a: Any, b: Any
) -> None:
    assert difference(one([nest(a)]), one([nest(b)])) is not None
    assert difference(one([nest(a)]), one([nest(a)])) is None
    assert difference(one([nest(b)]), one([nest(b)])) is None


def test_containers_of_other_types_differ() -> None:
    alike = [(1, 2), [1, 2], Point(1, 2), Spot(1, 2), ResultIterable([1, 2]), {1, 2}]
    for i, a in enumerate(alike):
        for j, b in enumerate(alike):
            assert (difference(one([a]), one([b])) is None) == (i == j), (a, b)


def test_nan_equals_itself_at_any_depth() -> None:
    other = -(NAN * 2)
    for nest in NESTINGS:
        assert difference(one([nest(NAN)]), one([nest(other)])) is None


def test_order_of_dicts_and_sets_never_counts() -> None:
    a = [{"x": 1, "y": {3, 11, 19}}]
    b = [{"y": {19, 3, 11}, "x": 1}]
    assert difference(one(a), one(b), ordered=True) is None
    assert difference(one(a), one([{"y": {19, 3}, "x": 1}])) is not None


class Tags(set[int]):
    pass


@pytest.mark.parametrize(
    ("a", "b", "other"),
    [
        (defaultdict(int, x=1, y=2), defaultdict(int, y=2, x=1), defaultdict(int, y=2, x=2)),
        (Counter(x=1, y=2), Counter(y=2, x=1), Counter(x=2, y=2)),
        (Tags([3, 11, 19]), Tags([19, 11, 3]), Tags([19, 11])),
    ],
)
def test_order_of_other_kinds_of_dicts_and_sets_does_not_count_either(
    a: Any, b: Any, other: Any
) -> None:
    assert difference(one([a]), one([b]), ordered=True) is None
    assert difference(one([a]), one([other])) is not None


def test_a_kind_of_dict_is_not_another() -> None:
    assert difference(one([defaultdict(int, x=1)]), one([defaultdict(list, x=1)])) is not None
    assert difference(one([defaultdict(int, x=1)]), one([{"x": 1}])) is not None


def test_order_of_an_ordered_dict_counts() -> None:
    assert difference(one([OrderedDict(x=1, y=2)]), one([OrderedDict(y=2, x=1)])) is not None


def test_values_that_contain_themselves_are_compared() -> None:
    def looped(number: int) -> list[Any]:
        loop: list[Any] = [number]
        loop.append({"k": loop})
        return loop

    assert difference(one([looped(1)]), one([looped(1)])) is None
    assert difference(one([looped(1)]), one([looped(2)])) is not None
    assert difference(one([looped(1)]), one([[1, {"k": [1]}]])) is not None


def test_order_of_a_result_iterable_counts_only_if_ordered() -> None:
    a, b = one([("k", ResultIterable([1, 2, 2]))]), one([("k", ResultIterable([2, 1, 2]))])
    assert difference(a, b) is None
    assert difference(a, b, ordered=True) is not None
    assert difference(a, one([("k", ResultIterable([1, 1, 2]))])) is not None


def test_order_of_a_list_always_counts() -> None:
    assert difference(one([[1, 2]]), one([[2, 1]])) is not None


def test_order_of_elements_counts_only_if_ordered() -> None:
    a, b = one([1, 2], [3]), one([3, 2], [1])
    assert difference(a, b) is None
    message = difference(a, b, ordered=True)
    assert message is not None
    assert "the order differs" in message


def test_where_elements_lie_counts_only_if_ordered() -> None:
    a, b = one([1, 2], [3]), one([1], [2, 3])
    assert difference(a, b) is None
    assert difference(a, b, ordered=True, partitions=False) is None
    message = difference(a, b, ordered=True)
    assert message is not None
    assert "the partitions differ" in message


def test_number_of_partitions_counts_also_when_empty() -> None:
    assert "expected 1 partitions, actual 0" in (difference(one([]), one()) or "")
    assert difference(one([1, 2]), one([1], [2])) is not None
    assert difference(one([1, 2]), one([1], [2]), partitions=False) is None


def test_a_missing_batch_is_a_difference() -> None:
    seen: Outcome = Seen(((1,),))
    message = difference([[seen], [seen, seen]], [[seen], [seen]])
    assert message == "output 1, tick 1: expected [1], actual has no batch"


def test_a_surplus_batch_is_a_difference_even_if_empty() -> None:
    message = difference([[Seen(())]], [[Seen(()), Seen(())]])
    assert message == "output 0, tick 1: expected has no batch, actual []"


def test_a_missing_or_surplus_output_is_a_difference() -> None:
    assert difference([[], []], [[]]) == "expected 2 outputs, got 1"
    assert difference([], [[]]) == "expected 0 outputs, got 1"


def test_no_call_is_not_a_call_with_an_empty_rdd() -> None:
    message = difference([[Missing()]], [[Seen(((),))]])
    assert message == "output 0, tick 0: expected Missing(), actual [nothing]"
    assert difference([[Missing()]], [[Missing()]]) is None


def test_errors_are_the_same_if_type_and_text_are() -> None:
    boom: Outcomes = [[Raised("ValueError", "boom")]]
    assert difference(boom, [[Raised("ValueError", "boom")]]) is None
    assert difference(boom, [[Raised("KeyError", "boom")]]) is not None
    assert difference(boom, [[Raised("ValueError", "bang")]]) is not None
    assert difference(boom, one(["boom"])) is not None


def test_the_first_difference_is_named_and_long_lists_are_cut() -> None:
    same: Outcome = Seen(((0,),))
    a: Outcomes = [[same], [same, Seen((tuple(range(100)),)), Missing()]]
    b: Outcomes = [[same], [same, Seen(((),)), same]]
    assert difference(a, b) == (
        "output 1, tick 1: the elements differ\n"
        "  expected only: 0, 1, 2, 3, 4, and 95 more\n"
        "  actual only: nothing"
    )


def test_other_picklable_values_compare_by_content() -> None:
    day = datetime.datetime(2020, 1, 1)
    values = [day, day.date(), Decimal("1.0"), Account("a", [1]), Account, ValueError("x"), len]
    again = [datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 1), Decimal("1.0")]
    again += [Account("a", [1]), Account, ValueError("x"), len]
    assert difference(one(values), one(again)) is None
    for value, other in [
        (day, day.replace(microsecond=1)),
        (Account("a", [1]), Account("a", [True])),
        (ValueError("x"), ValueError("y")),
        (Account, Point),
        (Decimal("1.0"), Decimal("1.00")),
    ]:
        assert difference(one([value]), one([other])) is not None


SPARK_ERROR = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collect.
: org.apache.spark.api.python.PythonException: [PYTHON_EXCEPTION] An exception was thrown: \
Traceback (most recent call last):
  File "worker.py", line 1, in process
    1 / 0
ZeroDivisionError: division by zero

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "job.py", line 8, in bad
    raise Bad("boom")
          ^^^^^^^^^^
job.errors.Bad: boom: one
two
 SQLSTATE: 38000
\tat org.apache.spark.api.python.BasePythonRunner.read(PythonRunner.scala:1097)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SPARK_ERROR, Raised("Bad", "boom: one\ntwo")),
        (
            "Traceback (most recent call last):\n  File\nStopIteration\n\n\tat x",
            ("StopIteration", ""),
        ),
        ("Traceback (most recent call last):\n  File\nKeyError: 'k'\n", ("KeyError", "'k'")),
        ("An error\n: java.io.EOFException\n\tat x", ("EOFException", "")),
        ("An error\n: a.B$C: no luck\n\tat x", ("C", "no luck")),
        ("plain: text", ("RuntimeError", "plain: text")),
    ],
)
def test_a_users_error_is_found_inside_sparks(text: str, expected: Any) -> None:
    assert raised(RuntimeError(text)) == (
        expected if isinstance(expected, Raised) else Raised(*expected)
    )


_few = st.lists(hashables | awkward | st.sampled_from([0, False, 0.0]), max_size=5).map(tuple)


@given(left=_few, right=_few)
@settings(max_examples=200, deadline=None, derandomize=True, database=None)
def test_there_is_a_surplus_exactly_where_the_elements_differ(
    left: tuple[Any, ...], right: tuple[Any, ...]
) -> None:
    only = surplus(Seen((left,)), Seen((right,)))
    message = difference([[Seen((left,))]], [[Seen((right,))]])
    assert any(only) == (message is not None and ELEMENTS in message)
    assert len(left) - len(only[0]) == len(right) - len(only[1])  # what both sides have


def test_verify_counts_as_surplus_what_the_comparison_does() -> None:
    """A dict counts as the same however it was filled, though its repr is another one."""
    same, again = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    output = OutputOp(0, "pprint", "job.py", 5)
    left, right = (
        Facet(RDD, Seen(((element, more),))) for element, more in ((same, 1), (again, 2))
    )
    found = described_difference(output, output, 0, 1000, left, right, "", Rules())
    assert found.expected.endswith("only in reference: 1 (1 × int)")
    assert found.actual.endswith("only in ours: 1 (1 × int)")
