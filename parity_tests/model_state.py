"""mapWithState in the model: called once per record, and once for every state that times out."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, TypeAlias

from dstream_compat.stages.state_spec import StateSpec, arguments
from parity_tests.model import ModelDStream
from parity_tests.model_rdd import Rdd

CHECKED = 10  # legacy: mapWithState looks for time-outs at every tenth of its batches


class ModelMapWithState(ModelDStream):
    """What a state function gave for every record, and for every state that timed out."""

    def __init__(self, data: ModelDStream, spec: StateSpec) -> None:
        super().__init__(lambda tick: Rdd(self._run(tick)[0]), data.parallelism, data.slide)
        self._data = data
        self._spec = spec
        self._n = self._partitions(spec._partitions)
        self._checked = CHECKED * data.slide
        self._runs: dict[int, tuple[list[list[Any]], list[States]]] = {}

    def checkpoint(self, interval: int) -> ModelDStream:
        # legacy: time-outs are looked for when the state is saved, only then
        self._checked = interval
        return self

    def stateSnapshots(self) -> ModelDStream:
        def compute(tick: int) -> Rdd:
            _, states = self._run(tick)
            return Rdd([[(key, state) for key, (state, _) in part.items()] for part in states])

        return self._derived(compute)

    def _run(self, tick: int) -> tuple[list[list[Any]], list[States]]:
        """What the partitions of a tick gave, and their states after it."""
        if tick not in self._runs:
            before = self._initial() if tick == self.slide else self._run(tick - self.slide)[1]
            states = [dict(part) for part in before]
            data = self._data._at(tick).partition_by(self._n).partitions
            parts = zip(data, states, strict=True)
            self._runs[tick] = [list(self._mapped(tick, *part)) for part in parts], states
        return self._runs[tick]

    def _initial(self) -> list[States]:
        initial = Rdd([list(self._spec._initial or ())]).partition_by(self._n).partitions
        return [{key: (state, self.slide) for key, state in part} for part in initial]

    def _mapped(self, tick: int, records: list[Any], states: States) -> Iterator[Any]:
        """Call the function on the records of a partition and on what times out in it."""
        timeout = (self._spec._timeout_ms or 0) // 1000
        for key, value in records:
            state = ModelState(*states.get(key, ())[:1])
            yield from self._called(tick, key, value, state)
            if state.removed:
                states.pop(key, None)
            elif state.updated or (state.exists() and timeout):
                states[key] = (state.get(), tick)
        if timeout and tick % self._checked == 0:
            for key, (value, touched) in list(states.items()):
                if touched < tick - timeout:
                    yield from self._called(tick, key, None, ModelState(value, timing_out=True))
                    del states[key]

    def _called(self, tick: int, key: Any, value: Any, state: ModelState) -> list[Any]:
        function = self._spec._function
        if arguments(function) == 3:
            return [function(key, value, state)]
        result = function(datetime.fromtimestamp(tick), key, value, state)
        return [] if result is None else [result]


States: TypeAlias = dict[Any, tuple[Any, int]]
"""By key: the state, and the tick at which it was last touched."""


class ModelState:
    """The state of a key as a state function sees it."""

    def __init__(self, *value: Any, timing_out: bool = False) -> None:
        self._value = value  # a tuple of one, or of none
        self._timing_out = timing_out
        self.updated = self.removed = False

    def exists(self) -> bool:
        return bool(self._value)

    def get(self) -> Any:
        if not self._value:
            raise LookupError("State is not set")
        return self._value[0]

    def getOption(self, default: Any = None) -> Any:
        return self._value[0] if self._value else default

    def isTimingOut(self) -> bool:
        return self._timing_out

    def update(self, newState: Any) -> None:
        _require(not self.removed, "Cannot update the state after it has been removed")
        _require(not self._timing_out, "Cannot update the state that is timing out")
        self._value, self.updated = (newState,), True

    def remove(self) -> None:
        _require(not self._timing_out, "Cannot remove the state that is timing out")
        _require(not self.removed, "Cannot remove the state that has already been removed")
        self._value, self.removed = (), True

    def __str__(self) -> str:
        return str(self._value[0]) if self._value else "<state not set>"


def _require(allowed: bool, otherwise: str) -> None:
    if not allowed:
        raise ValueError(f"requirement failed: {otherwise}")
