"""Random batches: few distinct values, so that keys meet, and every kind of trap."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from dstream_parity.base import functions as f
from dstream_parity.base.outcomes import Batches

# Latin with accents in two forms, Greek, Cyrillic, Han, Arabic, an emoji, half of one, a NUL.
texts = st.sampled_from(
    [
        "",
        "a",
        "b",
        "é",
        "e\u0301",
        "Ωμέγα",
        "жук",
        "日本",
        "سلام",
        "😀",
        "\ud83d",
        "\x00",
        "ß",
        "SS",
    ]
)
numbers = st.integers(-2, 3) | st.sampled_from(
    [0.0, 1.0, -0.5, -0.0, float("inf"), 1e300, 2**31, 2**63, -(2**70), 10**40]
)
scalars = numbers | texts | st.sampled_from([b"", b"\x00\xff", None, True, False])
hashables = scalars | st.lists(scalars, max_size=2).map(tuple) | st.tuples(scalars, scalars)
# Not fit as keys: NaN is placed at random, the others cannot be hashed.
awkward = (
    st.just(float("nan"))
    | st.lists(scalars, max_size=2)
    | st.dictionaries(st.sampled_from(["k", 1]), scalars, max_size=2)
    | st.sets(st.integers(0, 2), max_size=2)
    | st.binary(max_size=1).map(bytearray)
)

# Few, so that they meet; some are equal without being the same.
_keys = st.sampled_from([0, "a", 1, None, True, (1, "b"), 1.0, "日本"])
_values = st.sampled_from([1, None, "a", 0, "", True, None, (2, "b"), -0.5, 2**70])
_states = st.sampled_from([0, 1, "", "s", None, True, (2,)])
initial_states = st.lists(st.tuples(_keys, _states), max_size=4).map(tuple)
initial_text_states = st.lists(st.tuples(_keys.map(f.text), _states), max_size=4).map(tuple)


@st.composite
def _rdd(draw: st.DrawFn, element: st.SearchStrategy[Any], size: int) -> list[list[Any]]:
    """Partitions of one batch: evenly filled or not, many, one, or none."""
    shape = draw(st.sampled_from(["some", "some", "some", "many", "skewed", "same"]))
    if shape == "some":
        return draw(st.lists(st.lists(element, max_size=size), max_size=size))
    if shape == "many":
        return draw(st.lists(st.lists(element, max_size=1), min_size=5, max_size=9))
    if shape == "same":
        return [[draw(element)] * draw(st.integers(2, 3))] * draw(st.integers(1, 2))
    crowded = draw(st.lists(element, min_size=size, max_size=3 * size))
    return [[], *([[]] * draw(st.integers(0, 1))), crowded, []]


def batches(
    *,
    elements: st.SearchStrategy[Any] | None = None,
    inputs: int = 1,
    keyed: bool = False,
    hashable: bool = True,
    ticks: int = 6,
    least: int | None = None,
    few: bool = False,
) -> st.SearchStrategy[Batches]:
    """1 (or ``least``) to ``ticks`` ticks with any number of partitions per input, or none.

    ``elements`` is a strategy for what is in them; without it, they hold anything, or pairs if
    ``keyed``. Unless ``hashable``, values may be lists, dicts, sets or NaN. ``few`` gives more
    ticks of smaller batches with few keys, so that keys come and go.
    """
    if elements is None:
        anything = hashables if hashable else hashables | awkward
        elements = anything
        if keyed:
            values = _values if hashable else _values | awkward
            elements = st.tuples(_keys, values) if few else st.tuples(scalars, anything)
    rdd = _rdd(elements, 2 if few else 4)
    if least is None:
        least = min(ticks, 5) if few else 1
    return st.lists(
        st.lists(rdd, min_size=inputs, max_size=inputs),
        min_size=least,
        max_size=ticks,
    )
