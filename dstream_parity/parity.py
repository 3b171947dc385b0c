"""assert_parity: replay a pipeline on both engines and explain the first difference."""

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
{whose} does not agree with itself on these batches, so it cannot serve as a reference:
{found}

Two replays of the same batches gave different results. Usual causes:
- a function uses the current time, random numbers or an outside service;
- a function keeps state in the worker process (a module variable);
- the order or partition of elements after repartition;
- keys that are NaN, or whose hash differs from process to process;
- several functions can fail, and which one fails first varies."""


class ParityError(AssertionError):
    """The engines gave different results. The message says where, on which pipeline and batches."""


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
    """Raise :class:`ParityError` unless both engines give the same results in every tick.

    Takes the arguments of :func:`~dstream_parity.replay`, too. Elements are compared as multisets;
    their types must match. ``ordered`` (one value, or one per output) says whether order counts. By
    default it does where the legacy engine guarantees it: where no element changes its partition.
    ``partitions`` also compares the number of partitions.

    With ``repeat`` the reference is replayed twice first: a result that varies proves nothing. A
    failing case is shrunk for up to ``shrink_seconds``. With ``hide_values`` the message shows only
    the types of elements.
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
    """:func:`assert_parity` on several sequences of batches, which share the replays."""
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
        """The outcomes of the reference; raises ParityError if a second replay differs."""
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
        """How each case differs, with one replay per engine for all of them.

        ``expected``: the outcomes of the reference, if they are known.
        """
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
        """Which of the cases differ; one without a tick after the last restart does not count."""
        possible = [
            case for case in cases if len(case.batches) > self.shortest and self._can_be_built(case)
        ]
        found = dict(zip(map(id, possible), self.tried(possible), strict=True))
        return [found.get(id(case)) is not None for case in cases]

    def tried(self, cases: Sequence[Case]) -> list[Difference | None]:
        """Like :meth:`compare`, but a case that cannot run does not count as different.

        In a smaller pipeline, functions may get elements that they cannot handle.
        """
        if not cases:
            return []
        try:
            return self.compare(cases)
        except Exception:  # one of them failed: try them one by one
            if len(cases) == 1:
                return [None]
            return [found for case in cases for found in self.tried([case])]

    def _can_be_built(self, case: Case) -> bool:
        """Tried without Spark: a case that cannot be built would fail the replay of all."""
        try:
            nodes_of(case.pipeline, len(case.batches[0]), self.interval)
        except Exception:  # for whatever reason
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
    if again is None:  # it only differs together with the other outputs
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
        lines += ["The batches: number of elements per partition, for each input"]
        lines += [f"    tick {n}: {_sizes(tick)}" for n, tick in enumerate(case.batches)]
    else:
        lines += ["The batches, as [tick][input][partition]:"]
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
        return f"{_shape(outcome.first)}, then {_shape(outcome.again)} when run again"
    if not isinstance(outcome, Seen):
        return type(outcome).__name__
    parts = (
        ", ".join(type(element).__name__ for element in part) or "nothing"
        for part in outcome.partitions
    )
    return "[" + " | ".join(parts) + "]"
