"""Feeding the same batches to two engines and telling whether they did the same.

A *pipeline* is a function ``build(ssc, inputs)`` that derives DStreams from input DStreams and
returns the ones to look at. :func:`replay` runs it on given batches, one tick per batch, and gives
what each of these outputs did in each tick; :func:`difference` compares two replays;
:func:`assert_parity` does it all and explains what it found.
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
    # on demand, because they need pyspark
    if name in ("ParityError", "assert_parity"):
        from dstream_parity import parity

        return getattr(parity, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
