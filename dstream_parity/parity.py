"""assert_parity: replay on both engines, compare, and explain the first difference."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dstream_parity.base.compare import REASONS, Difference, first_difference, shown
from dstream_parity.base.outcomes import Batches, Before, Build, Outcomes, Rerun, Seen
from dstream_parity.base.pipelines import Pipeline, code_of
from dstream_parity.merged import Merged
from dstream_parity.order import keeps_order, nodes_of
from dstream_parity.replaying import EngineName, replay
from dstream_parity.shrink import Case, smallest

if TYPE_CHECKING:
    from pyspark import SparkContext

_UNSTABLE = """\
{whose} does not agree with itself on these batches, so there is nothing to compare with:
{found}

Two replays of the same batches differed. Usual reasons: a function that asks for the time, a random
number or a service; one that keeps state in the worker's process (a module variable); the order or
the place of elements behind repartition; keys that are NaN or have another hash in each process;
several functions of which either may fail first."""


class ParityError(AssertionError):
    """Two engines gave something else. The message says what, and on what."""


def assert_parity(
    pipeline: Build,
    batches: Batches,
    *,
    reference: EngineName = "legacy",
    engine: EngineName = "compat",
    sc: SparkContext | None = None,
    interval: float = 1.0,
    together: int = 1,
    restarts: Collection[int] = (),
    before: Before | None = None,
    ordered: bool | Sequence[bool] | None = None,
    partitions: bool = True,
    repeat: bool = True,
    shrink_seconds: float = 60.0,
    hide_values: bool = False,
    timeout: float = 180.0,
) -> None:
    """Raise :class:`ParityError` unless both engines give the same, output by output, tick by tick.

    The arguments of :func:`~dstream_parity.replay` apply. Elements are compared as
    multisets, with their types; ``ordered`` says for all outputs, or one by one, whether their
    order counts. By default it does where no element ever changes its partition, which is
    where the legacy engine guarantees it. ``partitions`` compares the number of partitions.

    ``repeat`` replays the reference twice first: what differs from itself proves nothing.
    A failing case is made smaller for up to ``shrink_seconds``. With ``hide_values`` the message
    says of elements only what types they have.
    """
    __tracebackhide__ = True  # pytest would show the arguments: elements
    assert_parity_on(
        pipeline,
        [batches],
        reference=reference,
        engine=engine,
        sc=sc,
        interval=interval,
        together=together,
        restarts=restarts,
        before=before,
        ordered=ordered,
        partitions=partitions,
        repeat=repeat,
        shrink_seconds=shrink_seconds,
        hide_values=hide_values,
        timeout=timeout,
    )


def assert_parity_on(
    pipeline: Build,
    examples: Sequence[Batches],
    *,
    repeat: bool = True,
    shrink_seconds: float = 60.0,
    hide_values: bool = False,
    **options: Any,
) -> None:
    """:func:`assert_parity` on several sequences of batches, all in the same replays."""
    __tracebackhide__ = True
    judge = _Judge(**options)
    cases = [Case(pipeline, batches) for batches in examples]
    expected = judge.checked_reference(cases, hide_values) if repeat else None
    for case, found in zip(cases, judge.compare(cases, expected), strict=True):
        if found is not None:
            if shrink_seconds > 0:
                case, found = _shrunk(case, found, judge, shrink_seconds)
            raise ParityError(_explained(case, found, judge, hide_values))


@dataclass(frozen=True)
class _Judge:
    """Replays cases on both engines and compares; the options are those of assert_parity."""

    reference: EngineName = "legacy"
    engine: EngineName = "compat"
    sc: SparkContext | None = None
    interval: float = 1.0
    together: int = 1
    restarts: Collection[int] = ()
    before: Before | None = None
    ordered: bool | Sequence[bool] | None = None
    partitions: bool = True
    timeout: float = 180.0

    def replayed(self, case: Case | Merged, engine: EngineName) -> Outcomes:
        pipeline = case.pipeline if isinstance(case, Case) else case
        together = 1 if engine == "legacy" else self.together
        return replay(
            pipeline,
            case.batches,
            engine,
            sc=self.sc,
            interval=self.interval,
            together=together,
            restarts=self.restarts,
            before=self.before,
            timeout=self.timeout,
            **({} if self.sc is None else {"parallelism": self.sc.defaultParallelism}),
        )

    def checked_reference(self, cases: Sequence[Case], hide_values: bool) -> list[Outcomes]:
        """What the reference gives, twice the same."""
        __tracebackhide__ = True
        merged = Merged([(case.pipeline, case.batches) for case in cases])
        first, again = (merged.split(self.replayed(merged, self.reference)) for _ in range(2))
        names = "the first time", "the second time"
        for case, a, b in zip(cases, first, again, strict=True):
            found = self._first(case, a, b, names)
            if found is not None:
                if hide_values:
                    found = _without_values(found)
                legacy = self.reference == "legacy"
                whose = "The legacy engine" if legacy else f'The engine "{self.reference}"'
                raise ParityError(_UNSTABLE.format(whose=whose, found=found))
        return first

    def compare(
        self, cases: Sequence[Case], expected: list[Outcomes] | None = None
    ) -> list[Difference | None]:
        """How each case differs, all in one replay per engine; ``expected`` of the reference."""
        merged = Merged([(case.pipeline, case.batches) for case in cases])
        if expected is None:
            expected = merged.split(self.replayed(merged, self.reference))
        actual = merged.split(self.replayed(merged, self.engine))
        names = self.reference, self.engine
        return [
            self._first(case, a, b, names)
            for case, a, b in zip(cases, expected, actual, strict=True)
        ]

    def fail(self, cases: Sequence[Case]) -> list[bool]:
        """Which of the cases differ; one without a tick behind every restart does not count."""
        possible = [
            case for case in cases if len(case.batches) > self.shortest and self._can_be_built(case)
        ]
        found = dict(zip(map(id, possible), self.tried(possible), strict=True))
        return [found.get(id(case)) is not None for case in cases]

    def tried(self, cases: Sequence[Case]) -> list[Difference | None]:
        """Like :meth:`compare`, of cases that may be impossible: these do not count as different.

        A smaller pipeline may ask too much of its elements, or of its streams.
        """
        if not cases:
            return []
        try:
            return self.compare(cases)
        except Exception:  # of one of them: the others still count
            if len(cases) == 1:
                return [None]
            return [found for case in cases for found in self.tried([case])]

    def _can_be_built(self, case: Case) -> bool:
        """Found out without Spark, because it takes the others of a replay with it."""
        try:
            nodes_of(case.pipeline, len(case.batches[0]), self.interval)
        except Exception:  # whatever it is: no smaller example
            return False
        return True

    @property
    def shortest(self) -> int:
        return max(self.restarts, default=0)

    def _first(
        self, case: Case, expected: Outcomes, actual: Outcomes, names: tuple[str, str]
    ) -> Difference | None:
        return first_difference(
            expected,
            actual,
            ordered=self._ordered(case, len(expected)),
            partitions=self.partitions,
            names=names,
        )

    def _ordered(self, case: Case, outputs: int) -> Sequence[bool]:
        if isinstance(self.ordered, bool):
            return [self.ordered] * outputs
        if self.ordered is not None:
            return self.ordered
        return keeps_order(case.pipeline, len(case.batches[0]), self.interval)


def _shrunk(
    case: Case, found: Difference, judge: _Judge, seconds: float
) -> tuple[Case, Difference]:
    number = found.output

    def only(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [list(case.pipeline(ssc, inputs))[number]]

    alone: Build = case.pipeline.only(number) if isinstance(case.pipeline, Pipeline) else only
    if isinstance(judge.ordered, Sequence):
        judge = replace(judge, ordered=judge.ordered[number])
    start = Case(alone, case.batches[: max(found.tick, judge.shortest) + 1])
    again = judge.tried([start])[0]
    if again is None:  # it takes the other outputs, too
        return case, found
    smaller = smallest(start, judge.fail, seconds=seconds)
    last = judge.tried([smaller])[0]
    if last is None:
        return case, found
    shown_pipeline = smaller.pipeline if isinstance(case.pipeline, Pipeline) else case.pipeline
    kept = number if shown_pipeline is case.pipeline else last.output
    return Case(shown_pipeline, smaller.batches), Difference(kept, last.tick, last.reason)


def _explained(case: Case, found: Difference, judge: _Judge, hide_values: bool) -> str:
    sides = [judge.replayed(case, engine) for engine in (judge.reference, judge.engine)]
    show = _shape if hide_values else shown
    reason = _without_values(found) if hide_values else found
    lines = [str(reason), "", "The pipeline:", textwrap.indent(code_of(case.pipeline), "    "), ""]
    if hide_values:
        lines += ["The batches: elements, by tick, input and partition"]
        lines += [f"    tick {n}: {_sizes(tick)}" for n, tick in enumerate(case.batches)]
    else:
        lines += ["The batches, [tick][input][partition]:"]
        lines += ["    [", *(f"        {tick!r}," for tick in case.batches), "    ]"]
    for name, outcomes in zip((judge.reference, judge.engine), sides, strict=True):
        lines += ["", f"Output {found.output}, {name}:"]
        ticks = enumerate(outcomes[found.output])
        lines += [f"    tick {tick}: {show(outcome)}" for tick, outcome in ticks]
    return "\n".join(lines)


def _without_values(found: Difference) -> Difference:
    kept = found.reason.splitlines()[0]
    return replace(found, reason=kept if kept in REASONS else "the outcomes differ")


def _sizes(tick: list[list[list[Any]]]) -> str:
    return ", ".join(str([len(part) for part in rdd]) for rdd in tick)


def _shape(outcome: Any) -> str:
    if isinstance(outcome, Rerun):
        return f"{_shape(outcome.first)}, and {_shape(outcome.again)} when it was run again"
    if not isinstance(outcome, Seen):
        return type(outcome).__name__
    parts = (
        ", ".join(type(element).__name__ for element in part) or "nothing"
        for part in outcome.partitions
    )
    return "[" + " | ".join(parts) + "]"
