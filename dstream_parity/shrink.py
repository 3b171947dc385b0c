"""Shrinking a failing case: fewer ticks, partitions, elements, operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dstream_parity.base.outcomes import Batches, Build
from dstream_parity.base.pipelines import Pipeline
from dstream_parity.base.shrinking import fewer, shrunk


@dataclass(frozen=True)
class Case:
    """A pipeline and the batches it is run on."""

    pipeline: Build
    batches: Batches

    @property
    def size(self) -> tuple[int, int, int, int]:
        """What counts as smaller: fewer operators and outputs, elements, partitions, ticks."""
        operators = 0
        if isinstance(self.pipeline, Pipeline):
            operators = sum(self.pipeline.operators.values()) + len(self.pipeline.outputs)
        rdds = [rdd for tick in self.batches for rdd in tick]
        elements = sum(len(part) for rdd in rdds for part in rdd)
        return operators, elements, sum(map(len, rdds)), len(self.batches)


Judge = Callable[[Sequence[Case]], Sequence[bool]]
"""Which of these cases fail. Several are asked about at once, since one replay can run them all."""


def smallest(case: Case, judge: Judge, *, seconds: float, at_once: int = 8) -> Case:
    """The smallest failing case that was found in the time given; ``case`` itself fails."""

    def smaller(case: Case) -> Iterator[Case]:
        return (candidate for candidate in _smaller(case) if candidate.size < case.size)

    return shrunk(
        case, smaller, judge, seconds=seconds, size=lambda case: case.size, at_once=at_once
    )


def _smaller(case: Case) -> Iterator[Case]:
    """Candidates, the boldest first."""
    pipeline, batches = case.pipeline, case.batches
    if len(batches) > 1:
        half = len(batches) // 2
        yield Case(pipeline, batches[:half])
        yield Case(pipeline, batches[half:])
    if isinstance(pipeline, Pipeline):
        for simpler in pipeline.smaller():
            yield Case(simpler, batches)
    if len(batches) > 1:
        for tick in range(len(batches)):
            yield Case(pipeline, [*batches[:tick], *batches[tick + 1 :]])
    # an RDD without partitions is a trap by itself, and could replace the one that was found
    least = 0 if any(not rdd for inputs in batches for rdd in inputs) else 1
    for tick, inputs in enumerate(batches):
        for number, rdd in enumerate(inputs):
            for less in _fewer(rdd):
                if len(less) < least:
                    continue
                changed = [*inputs[:number], less, *inputs[number + 1 :]]
                yield Case(pipeline, [*batches[:tick], changed, *batches[tick + 1 :]])


def _fewer(rdd: list[list[object]]) -> Iterator[list[list[object]]]:
    if rdd:
        yield []
    for number, part in enumerate(rdd):
        yield [*rdd[:number], *rdd[number + 1 :]]
        for less in fewer(part):
            yield [*rdd[:number], less, *rdd[number + 1 :]]
