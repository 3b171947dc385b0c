"""Feeding the same batches to two engines and telling whether they did the same.

A *pipeline* is a function ``build(ssc, inputs)`` that derives DStreams from input DStreams and
returns the ones to look at. A replay runs it on given batches, one tick per batch, and returns
what each of these outputs did in each tick; :func:`difference` compares two replays.
"""

from dstream_compat.testing.compare import difference
from dstream_compat.testing.outcomes import (
    Batches,
    Missing,
    Outcome,
    Outcomes,
    Raised,
    Seen,
    raised,
)

__all__ = ["Batches", "Missing", "Outcome", "Outcomes", "Raised", "Seen", "difference", "raised"]
