"""The page that says what is compared names every operator, and claims no more than there is."""

from __future__ import annotations

import inspect

from dstream_compat.dstream import DStream, MapWithStateDStream
from parity_tests.coverage import ELSEWHERE, ELSEWHERE_ON_SPARK, OPERATORS, by_hand, claims


def test_every_operator_is_on_the_page() -> None:
    public = {
        name
        for kind in (DStream, MapWithStateDStream)
        for name, member in inspect.getmembers(kind, callable)
        if not name.startswith("_")
    }
    elsewhere = {name.strip() for names in ELSEWHERE for name in names.split(",")}
    compared = {name for names in OPERATORS.values() for name in names}
    assert compared | elsewhere >= public
    assert set(claims()[1]) == compared


def test_no_operator_is_without_examples() -> None:
    for name, (in_process, random, hand) in claims()[1].items():
        assert in_process >= 10, name
        assert hand >= 1, name
        assert (random >= 1) == (name not in ELSEWHERE_ON_SPARK), name


def test_the_examples_written_by_hand_are_there() -> None:
    hands = by_hand()
    for name, (_, _, claimed) in claims()[1].items():
        assert claimed <= sum(name in called for called in hands), name
