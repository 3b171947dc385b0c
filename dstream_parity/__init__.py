"""Run the same batches through two engines and check that the results are the same.

A *pipeline* is a function ``build(ssc, inputs)`` that derives DStreams from input DStreams and
returns the ones to compare, its *outputs*. :func:`replay` runs a pipeline on given batches, one per
tick, and returns what each output did in each tick. :func:`difference` compares two replays.
:func:`assert_parity` does both and explains the first difference.
"""

from typing import TYPE_CHECKING, Any

from dstream_parity.base.compare import difference
from dstream_parity.base.outcomes import (
    Batches,
    Before,
    Build,
    Missing,
    Outcome,
    Outcomes,
    Raised,
    Rerun,
    Seen,
    raised,
)
from dstream_parity.replaying import replay

if TYPE_CHECKING:
    from dstream_parity.parity import ParityError, assert_parity

__all__ = [
    "Batches",
    "Before",
    "Build",
    "Missing",
    "Outcome",
    "Outcomes",
    "ParityError",
    "Raised",
    "Rerun",
    "Seen",
    "assert_parity",
    "difference",
    "raised",
    "replay",
]


def __getattr__(name: str) -> Any:
    # on demand: these need pyspark
    if name in ("ParityError", "assert_parity"):
        from dstream_parity import parity

        return getattr(parity, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
