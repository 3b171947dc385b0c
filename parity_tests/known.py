"""Where the engines are known to differ, or a comparison would say nothing: each with its reason.

Ids are those of docs/differences.md.
"""

from __future__ import annotations

from dstream_compat.testing import Batches
from dstream_compat.testing import functions as f
from dstream_compat.testing.pipelines import Call, Context, Node, below

_UNIONS = ("union", "transformWith", "transform")
_WITH_INVERSE = ("countByWindow", "countByValueAndWindow", "groupByKeyAndWindow")


def known_to_differ(output: Node, batches: Batches, *, restarts: bool = False) -> str | None:
    """Why this output of a random pipeline is not compared, if it is not."""
    calls = list(below(output))
    unions = sum(call.method in _UNIONS for call in calls)
    unions += sum(isinstance(call.on, Context) for call in calls)  # of three streams
    windows = sum(call.method == "window" for call in calls)
    bare = any(not rdd for tick in batches for rdd in tick)
    if bare and (unions > 1 or (unions and windows)):
        return "D24: the number of partitions of a union of unions, where an input has none"
    if restarts and any(_has_inverse(call) for call in calls):
        return "D43: the legacy engine loses the inverse function at a restart"
    if windows and any(f.levelled in c.arguments or f.above_level in c.arguments for c in calls):
        return "D59: when the functions in front of a window are pickled"
    return None


def _has_inverse(call: Call) -> bool:
    if call.method in ("reduceByKeyAndWindow", "reduceByWindow"):
        return call.arguments[1] is not None
    return call.method in _WITH_INVERSE
