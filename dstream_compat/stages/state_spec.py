"""StateSpec and State: what a user tells mapWithState to do, and what its function is given.

Executors need both: a user's module that they import may hold a StateSpec.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from dstream_compat.base.durations import to_ms


class State:
    """The state of one key, as a state function sees it.

    A function may read, update or remove it, or leave it as it is.
    """

    __slots__ = ("_defined", "_removed", "_timing_out", "_updated", "_value")

    def __init__(self) -> None:
        self._wrap(False, None)

    def _wrap(self, defined: bool, value: Any, timing_out: bool = False) -> None:
        self._defined = defined
        self._value = value
        self._timing_out = timing_out
        self._updated = False
        self._removed = False

    def exists(self) -> bool:
        """Whether the key has a state."""
        return self._defined

    def get(self) -> Any:
        """The state; a LookupError if there is none."""
        if not self._defined:
            raise LookupError("State is not set")
        return self._value

    def getOption(self, default: Any = None) -> Any:
        """The state, or ``default`` if there is none."""
        return self._value if self._defined else default

    def update(self, newState: Any) -> None:
        """Set the state. Refused after ``remove`` and while the state is timing out."""
        self._require(not self._removed, "Cannot update the state after it has been removed")
        self._require(not self._timing_out, "Cannot update the state that is timing out")
        self._value = newState
        self._defined = True
        self._updated = True

    def remove(self) -> None:
        """Drop the state, if there is one. Refused after ``remove`` and while it is timing out."""
        self._require(not self._timing_out, "Cannot remove the state that is timing out")
        self._require(not self._removed, "Cannot remove the state that has already been removed")
        self._value = None
        self._defined = False
        self._updated = False
        self._removed = True

    def isTimingOut(self) -> bool:
        """Whether this is the last call for a key that has had no data for too long."""
        return self._timing_out

    @staticmethod
    def _require(allowed: bool, otherwise: str) -> None:
        if not allowed:
            raise ValueError(f"requirement failed: {otherwise}")

    def __str__(self) -> str:
        return str(self._value) if self._defined else "<state not set>"


class StateSpec:
    """What mapWithState should do. Made by :meth:`function`; the other methods refine it.

    >>> spec = StateSpec.function(lambda key, value, state: key).numPartitions(4).timeout(60)
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._initial: Any = None
        self._partitions: int | None = None
        self._timeout_ms: int | None = None

    @staticmethod
    def function(mappingFunction: Callable[..., Any]) -> StateSpec:
        """``mappingFunction(key, value, state)`` gives an element for every record;
        ``mappingFunction(time, key, value, state)`` gives an element, or None for none.

        ``value`` is None when the state of a key times out.
        """
        if not callable(mappingFunction):
            raise TypeError(
                f"mappingFunction should be callable, got {type(mappingFunction).__name__}"
            )
        try:
            found = str(inspect.signature(mappingFunction))
        except ValueError:
            found = "arguments that cannot be inspected"
        else:
            if arguments(mappingFunction) in (3, 4):
                return StateSpec(mappingFunction)
        raise TypeError(
            "mappingFunction should take (key, value, state) or (time, key, value, state), but "
            f"takes {found}"
        )

    def initialState(self, rdd: Any) -> StateSpec:
        """Start with these (key, state) pairs: an RDD, or any iterable of pairs."""
        self._initial = list(rdd) if isinstance(rdd, Iterator) else rdd  # for several streams
        return self

    def numPartitions(self, numPartitions: int) -> StateSpec:
        """Spread the state over this many partitions."""
        if isinstance(numPartitions, bool) or not isinstance(numPartitions, int):
            raise TypeError(f"numPartitions should be an int, got {type(numPartitions).__name__}")
        if numPartitions < 1:
            raise ValueError("numPartitions should be at least 1")
        self._partitions = numPartitions
        return self

    def timeout(self, idleDuration: float) -> StateSpec:
        """Drop the state of a key that has had no data for this many seconds."""
        milliseconds = to_ms(idleDuration, "idleDuration")
        if milliseconds <= 0:
            raise ValueError("idleDuration should be at least 0.001 seconds")
        self._timeout_ms = milliseconds
        return self


def arguments(function: Callable[..., Any]) -> int:
    """How many positional arguments a state function is called with.

    >>> arguments(lambda key, value, state: None)
    3
    >>> arguments(lambda key, value, state, limit=10: None)
    3
    """
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [p for p in inspect.signature(function).parameters.values() if p.kind in positional]
    needed = sum(parameter.default is inspect.Parameter.empty for parameter in found)
    return needed if needed >= 3 else len(found)
