"""Several cases in one replay, which costs little more than replaying one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dstream_parity.base.outcomes import Batches, Build, Outcomes, outputs_of
from dstream_parity.base.pipelines import code_of


@dataclass(repr=False)
class Merged:
    """Pipelines side by side, each with its own inputs.

    Shorter cases are filled up with ticks without partitions; :meth:`split` drops their outcomes.
    """

    cases: Sequence[tuple[Build, Batches]]
    _outputs: list[int] = field(default_factory=list)

    @property
    def batches(self) -> Batches:
        ticks = max(len(batches) for _, batches in self.cases)
        return [
            [
                rdd
                for _, batches in self.cases
                for rdd in (batches[tick] if tick < len(batches) else [[] for _ in batches[0]])
            ]
            for tick in range(ticks)
        ]

    def __repr__(self) -> str:
        """The code of the pipelines, without the batches: their values may have to stay hidden."""
        return "\n".join(dict.fromkeys(code_of(build) for build, _ in self.cases))

    def __call__(self, ssc: Any, inputs: list[Any]) -> list[Any]:
        """Build all pipelines; the outputs of one come after those of the other."""
        self._outputs = []
        together: list[Any] = []
        at = 0
        for build, batches in self.cases:
            width = len(batches[0])
            outputs = outputs_of(build, ssc, inputs[at : at + width])
            self._outputs.append(len(outputs))
            together += outputs
            at += width
        return together

    def ticks_of(self, number: int) -> int:
        """How many ticks output ``number`` is looked at; those that are filled up do not count."""
        for count, (_, batches) in zip(self._outputs, self.cases, strict=True):
            if number < count:
                return len(batches)
            number -= count
        raise IndexError(number)

    def split(self, outcomes: Outcomes) -> list[Outcomes]:
        """The outcomes of each case."""
        at = 0
        found = []
        for count, (_, batches) in zip(self._outputs, self.cases, strict=True):
            found.append([output[: len(batches)] for output in outcomes[at : at + count]])
            at += count
        return found
