"""Where the engines are known to differ, each with its reason, and the comparison that knows it.

Every output is compared. One that differs is forgiven if it runs into a known difference: it then
counts as not compared, or only its elements are, where nothing in it looks at places or order.
Ids are those of docs/differences.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from dstream_parity import Batches, Outcomes, difference
from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Made, MethodCall, Node, Pipeline, below
from parity_tests.model import replay_model
from parity_tests.model_rdd import noting_luck

_WITH_INVERSE = ("countByWindow", "countByValueAndWindow", "groupByKeyAndWindow")
_UNITING = ("union", "window", "transform", "transformWith")
# The same elements come of these wherever, and in whatever order, their input lies.
_PLACELESS = (
    *("map", "flatMap", "filter", "mapValues", "flatMapValues"),
    *("union", "window", "count", "partitionBy", "repartition"),
)
_PLACELESS_ON_RDDS = (f.unchanged, f.stamped, f.doubled, f.both, f.dated_both, f.last_first)


@dataclass(frozen=True)
class Known:
    """A documented difference; ``only_places``: the elements are to be the same."""

    reason: str
    only_places: bool = False


class Verdict(NamedTuple):
    message: str | None  # how the output differs
    compared: bool


def known_to_differ(
    output: Node, batches: Batches, *, restarts: bool = False, ours: bool = True
) -> Known | None:
    """What this output of a random pipeline runs into, if anything.

    ``ours``: our engine is one side. The model and the legacy engine decide alike about unions.
    """
    calls = list(below(output))
    if restarts and any(_has_inverse(call) for call in calls):
        return Known("D43: the legacy engine loses the inverse function at a restart")
    windows = any(call.method == "window" for call in calls)
    if windows and any(f.levelled in c.arguments or f.above_level in c.arguments for c in calls):
        return Known("D59: when the functions in front of a window are pickled")
    if ours and _unites_by_luck(output, batches):
        reason = "D24: the number of partitions of a union of unions, where an input has none"
        return Known(reason, _elements_are_the_same(output))
    return None


def judged(
    pipeline: Pipeline,
    number: int,
    expected: Outcomes,
    actual: Outcomes,
    batches: Batches,
    *,
    restarts: bool = False,
    ours: bool = True,
) -> Verdict:
    """How an output differs beyond what is known, and whether that means anything."""
    sides = [expected[number]], [actual[number]]
    message = difference(*sides, ordered=pipeline.exact[number])
    if message is None:
        return Verdict(None, True)
    known = known_to_differ(pipeline.outputs[number], batches, restarts=restarts, ours=ours)
    if known is None:
        return Verdict(message, True)
    if known.only_places:
        return Verdict(difference(*sides, partitions=False), True)
    return Verdict(None, False)


def operators_of(pipeline: Pipeline, numbers: Iterable[int]) -> set[str]:
    """The operators that lead to these outputs."""
    return {name for number in numbers for name in pipeline.only(number).operators}


def _unites_by_luck(output: Node, batches: Batches) -> bool:
    if all(rdd for tick in batches for rdd in tick):
        return False
    with noting_luck() as noted:
        replay_model(Pipeline((output,), (True,)), batches)
    return bool(noted)


def _elements_are_the_same(node: Node) -> bool:
    """Nothing after a union depends on partitions or order."""
    if not any(call.method in _UNITING for call in below(node)):
        return True
    assert isinstance(node, MethodCall)
    return _is_placeless(node) and all(map(_elements_are_the_same, node.streams))


def _is_placeless(call: MethodCall) -> bool:
    if call.method in ("transform", "transformWith"):
        return any(argument in _PLACELESS_ON_RDDS for argument in call.arguments)
    return call.method in _PLACELESS and not any(isinstance(a, Made) for a in call.arguments)


def _has_inverse(call: MethodCall) -> bool:
    if call.method in ("reduceByKeyAndWindow", "reduceByWindow"):
        return call.arguments[1] is not None
    return call.method in _WITH_INVERSE
