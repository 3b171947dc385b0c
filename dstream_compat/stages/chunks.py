"""Elements as pickled lists that any executor can open."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from typing import Any

from dstream_compat.stages.partitions import CHUNK, Data


def pickle_portably(value: Any) -> bytes:
    """Pickle for executors: plain pickle where that will do, else cloudpickle.

    Plain pickle names what the job's own script defines as ``__main__.…``, which an executor does
    not have, so whatever mentions that module goes by value.
    """
    try:
        pickled = pickle.dumps(value, protocol=5)
        if b"__main__" not in pickled:
            return pickled
    except Exception:  # whatever a user's __reduce__ raises; cloudpickle has the last word
        pass
    from pyspark import cloudpickle

    by_value: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]
    return by_value


def portable_data(elements: Iterable[Any]) -> Data:
    """A partition holding ``elements`` as they are now, readable on executors."""
    listed = list(elements)
    return Data(pickle_chunks(listed), len(listed))


def pickle_chunks(elements: Sequence[Any]) -> tuple[bytes, ...]:
    """``elements`` as pickled lists of at most ``CHUNK``."""
    return tuple(
        pickle_portably(list(elements[at : at + CHUNK])) for at in range(0, len(elements), CHUNK)
    )
