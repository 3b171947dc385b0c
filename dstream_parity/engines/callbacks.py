"""Output functions that survive a checkpoint.

An engine that restarts from its checkpoint calls unpickled copies of the output functions. What
a replay records must not end up in a copy of its records.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

Output = Callable[[datetime, Any], None]


def calling(function: Output) -> Output:
    """An output function that calls ``function``; so does every copy of it in this process."""
    original = _Original(function)

    def output(batch_time: datetime, rdd: Any) -> None:
        original.function(batch_time, rdd)

    return output


class _Original:
    """Is never copied: unpickling gives the object itself."""

    def __init__(self, function: Output) -> None:
        self.function = function
        self._token = uuid.uuid4().hex
        _ORIGINALS[self._token] = self

    def __reduce__(self) -> tuple[Callable[[str], _Original], tuple[str]]:
        return _original, (self._token,)


_ORIGINALS: WeakValueDictionary[str, _Original] = WeakValueDictionary()


def _original(token: str) -> _Original:
    return _ORIGINALS[token]
