"""Faults in what elements, partitions and batches are made of."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

from dstream_compat import dstream
from dstream_compat.graph import nodes as graph
from dstream_compat.stages import run as stage
from dstream_compat.stages.frames import Tick
from dstream_compat.stages.operators import narrow
from dstream_compat.stages.plan import Count
from dstream_parity.engines import in_process as inprocess
from parity_tests.mutants.base import emitting, mutant, narrowing


@mutant("drops a duplicate")
def drops_a_duplicate() -> Any:
    def without_repeats(f: Any, index: int, part: Iterator[Any]) -> Iterator[Any]:
        previous: Any = object()
        for x in map(f, part):
            if not (type(x) is type(previous) and x == previous):
                yield x
            previous = x

    return narrowing("map", without_repeats)


@mutant("{a, b, b} for {a, a, b}")
def one_for_the_other() -> Any:
    def changed(elements: list[Any]) -> list[Any]:
        if len(elements) > 2 and elements[0] == elements[1]:
            return [elements[0], elements[2], *elements[2:]]
        return elements

    return emitting(changed)


@mutant("an int for a float")
def int_for_float() -> Any:
    return emitting(lambda xs: [_in_values(x, _truncated) for x in xs])


def _truncated(x: Any) -> Any:
    return int(x) if type(x) is float and x == x and abs(x) < 1e6 and x == int(x) else x


def _in_values(x: Any, change: Callable[[Any], Any]) -> Any:
    return tuple(_in_values(y, change) for y in x) if type(x) is tuple else change(x)


@mutant("an int for a bool")
def int_for_bool() -> Any:
    return emitting(
        lambda xs: [_in_values(x, lambda y: int(y) if type(y) is bool else y) for x in xs]
    )


@mutant("0.0 for -0.0")
def no_negative_zero() -> Any:
    return emitting(
        lambda xs: [_in_values(x, lambda y: y + 0.0 if type(y) is float else y) for x in xs]
    )


@mutant("large ints lose their upper bits")
def sixty_four_bits() -> Any:
    def cut(y: Any) -> Any:
        return (y + 2**63) % 2**64 - 2**63 if type(y) is int else y

    return emitting(lambda xs: [_in_values(x, cut) for x in xs])


@mutant("texts are normalised")
def normalised() -> Any:
    def composed(y: Any) -> Any:
        return unicodedata.normalize("NFC", y) if type(y) is str else y

    return emitting(lambda xs: [_in_values(x, composed) for x in xs])


@mutant("None is taken for nothing")
def none_is_nothing() -> Any:
    return emitting(lambda xs: [x for x in xs if x is not None])


@mutant("a tuple for a list")
def tuple_for_list() -> Any:
    return narrowing("glom", lambda f, index, part: [tuple(part)])


@mutant("a partition is turned round")
def turned_round() -> Any:
    return narrowing("filter", lambda f, index, part: [x for x in part if f(x)][::-1])


@mutant("flatMap loses the last element of each result")
def flat_map_short() -> Any:
    return narrowing("flatMap", lambda f, index, part: (y for x in part for y in list(f(x))[:-1]))


@mutant("filter also asks whether the element is true")
def filter_truth() -> Any:
    return narrowing("filter", lambda f, index, part: (x for x in part if f(x) and x))


@mutant("mapPartitionsWithIndex counts from one")
def index_from_one() -> Any:
    original = narrow.map_indexed
    return narrowing("mapPartitionsWithIndex", lambda f, index, part: original(f, index + 1, part))


@mutant("glom leaves empty partitions out")
def glom_without_empty() -> Any:
    return narrowing("glom", lambda f, index, part: [xs] if (xs := list(part)) else [])


@mutant("no partition becomes one")
def never_without_partitions() -> Any:
    original = Count.at
    return patch.object(Count, "at", lambda self, counts: max(1, original(self, counts)))


@mutant("an empty batch is lost")
def loses_an_empty_batch() -> Any:
    original = inprocess._Run.micro_batch

    def skipping(self: Any, entries: Sequence[Any]) -> None:
        counted = [e for e in entries if e.phase or any(b.partitions for b in e.batches.values())]
        if counted:
            original(self, counted)

    return patch.object(inprocess._Run, "micro_batch", skipping)


@mutant("the ticks of a micro-batch run backwards")
def backwards_in_time() -> Any:
    def latest_first(items: Any, **how: Any) -> list[Any]:
        return sorted(items, **how)[::-1]

    return patch.object(stage, "sorted", latest_first, create=True)


@mutant("a stream that slides has a batch at every tick")
def always_due() -> Any:
    return patch.object(Tick, "due", lambda self, tick, slide_ms: True)


@mutant("union takes the other side first")
def union_swapped() -> Any:
    original = graph.union_of

    def swapped(site: str, inputs: tuple[Any, ...], fills: bool = False) -> Any:
        return original(site, inputs[::-1], fills)

    return patch.object(dstream, "union_of", swapped)


@mutant("union does not see that both sides are placed alike")
def union_end_to_end() -> Any:
    def never_aligned(site: str, inputs: tuple[Any, ...], fills: bool = False) -> Any:
        return graph.Union(site, inputs[0].slide_ms, inputs, fills)

    return patch.object(dstream, "union_of", never_aligned)
