"""Random graphs for as long as you like: ``make parity-deep ARGS="--minutes 30"``.

Rounds alternate: some hundred graphs in process against the model, then some on Spark against the
legacy engine and the model. Every round has its own seed, so two runs with the same first seed try
the same graphs. Differences are shrunk and put into the report, ready for regressions.py.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import click

from dstream_parity import Batches, Outcomes, replay
from dstream_parity.base import functions
from dstream_parity.base.pipelines import Pipeline
from dstream_parity.replaying import spark_context
from dstream_parity.shrink import Case, smallest
from dstream_parity.strategies import STATEFUL, STATELESS, batches, examples, pipelines
from parity_tests.known import judged, operators_of
from parity_tests.ledger import IN_PROCESS, ON_SPARK, Ledger
from parity_tests.model import replay_model
from parity_tests.on_spark import explained
from parity_tests.random_groups import starts_from_something
from parity_tests.test_in_process import cases, found_in_process

MIXES: tuple[tuple[str, ...], ...] = (
    STATELESS,
    STATEFUL,
    ("transform", "transformWith", *STATEFUL),
    ("raising", "remembering", *STATELESS),
    ("window", "narrow", "wide", "combined"),
    ("state", "narrow", "wide", "combined"),
)
IN_PROCESS_ONLY = (*MIXES, (*STATEFUL, "mapWithState"), ("mapWithState", "narrow", "wide"))


_ENOUGH = 2  # differences of a round that are made smaller


@dataclass(frozen=True)
class How:
    """How graphs are replayed on our engine."""

    together: int = 1
    restarts: tuple[int, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        return {"together": self.together, "restarts": self.restarts}

    def __str__(self) -> str:
        return f"together = {self.together}\nrestarts = {list(self.restarts)}"


class Found(NamedTuple):
    text: str
    error: type[Exception] | None = None  # the engine, or the model, broke down


def _found(
    pipeline: Pipeline, ticks: Batches, how: How, ledger: Ledger | None = None
) -> Found | None:
    restarts = [number for number in how.restarts if number < len(ticks)]
    options: dict[str, Any] = {"together": how.together, "restarts": restarts}
    try:
        message = found_in_process(pipeline, ticks, ledger=ledger, **options)
    except Exception as error:
        return Found(f"{traceback.format_exc(limit=-6)}\n{pipeline!r}", type(error))
    return None if message is None else Found(message)


def _explained(sc: Any, pipeline: Pipeline, given: Batches, how: How) -> str:
    try:
        return explained(sc, pipeline, given, seconds=60, **how.options)
    except Exception:
        return f"Alone, it breaks down:\n{traceback.format_exc(limit=-6)}"


@dataclass
class Run:
    """What was tried, and what differed."""

    seed: int
    ledger: Ledger = field(default_factory=Ledger)
    found: list[str] = field(default_factory=list)
    rounds: int = 0

    def _how(self, kinds: tuple[str, ...]) -> How:
        """Rounds take turns in this, too."""
        if "remembering" in kinds:  # of ticks that share a micro-batch, or a restart
            return How()
        restarted = self.rounds % 5 == 2 and "raising" not in kinds
        return How(1 + self.rounds % 3, (2, 4) if restarted else ())

    def in_process(self, graphs: int = 200) -> None:
        kinds = IN_PROCESS_ONLY[self.rounds % len(IN_PROCESS_ONLY)]
        few = self.rounds % 2 == 0
        how = self._how(kinds)
        known = len(self.found)
        for pipeline, ticks in examples(
            cases(*kinds, few=few, steps=8), graphs, seed=self.seed + self.rounds
        ):
            found = _found(pipeline, ticks, how, self.ledger)
            if found is not None:
                self._report_in_process(Case(pipeline, ticks), found, how)
                if len(self.found) - known == _ENOUGH:
                    return  # more of the same, most likely

    def _report_in_process(self, case: Case, found: Found, how: How) -> None:
        def fails(asked: Case) -> bool:
            assert isinstance(asked.pipeline, Pipeline)
            again = _found(asked.pipeline, asked.batches, how)
            # a smaller pipeline may ask too much of its elements, and break down for that
            return again is not None and again.error is found.error

        small = smallest(case, lambda asked: [fails(one) for one in asked], seconds=20)
        assert isinstance(small.pipeline, Pipeline)
        found = _found(small.pipeline, small.batches, how) or found
        self._add("in process", f"{found.text}\n\nbatches = {small.batches!r}\n{how}")

    def on_spark(self, sc: Any, graphs: int = 10, ticks: int = 7) -> None:
        kinds = MIXES[self.rounds % len(MIXES)]
        seed = self.seed + self.rounds
        how = self._how(kinds)
        shape: dict[str, Any] = {"inputs": 2, "keyed": True, "hashable": self.rounds % 2 == 1}
        wanted = pipelines(**shape, kinds=kinds, outputs=2, steps=8)
        if how.restarts:  # D61: the legacy engine cannot be restarted with an initial state
            wanted = wanted.filter(lambda pipeline: not starts_from_something(pipeline))
        drawn = examples(wanted, graphs, seed=seed)
        given = examples(batches(**shape, ticks=ticks, few=True), 10, seed=seed)[-1]
        self._compare_on_spark(sc, drawn, given, how)

    def _compare_on_spark(
        self, sc: Any, drawn: Sequence[Pipeline], given: Batches, how: How
    ) -> None:
        def build(ssc: Any, inputs: list[Any]) -> list[Any]:
            return [output for pipeline in drawn for output in pipeline(ssc, inputs)]

        restarts = how.restarts
        before = functions.set_level if how == How() else None
        known = len(self.found)
        try:
            legacy = replay(build, given, "legacy", sc=sc, before=before, restarts=restarts)
            ours = replay(build, given, "compat", sc=sc, before=before, **how.options)
            model = replay_model(build, given, before=before)
        except Exception:
            broken = traceback.format_exc(limit=-6)
            if len(drawn) > 1:  # which of them?
                for pipeline in drawn:
                    self._compare_on_spark(sc, [pipeline], given, how)
                if len(self.found) > known:
                    return
            shown = "\n\n".join(map(repr, drawn))
            self._add("on Spark", f"{broken}\n{shown}\n\nbatches = {given!r}\n{how}")
            return
        left = zip(legacy, ours, model, strict=True)
        for pipeline in drawn:
            sides = [list(side) for side in zip(*islice(left, len(pipeline.outputs)), strict=True)]
            self._judge(sc, pipeline, sides, given, how)

    def _judge(
        self, sc: Any, pipeline: Pipeline, sides: list[Outcomes], given: Batches, how: How
    ) -> None:
        legacy, ours, model = sides
        compared = []
        restarts = bool(how.restarts)
        for number in range(len(pipeline.outputs)):
            one = pipeline.only(number)
            about = f"{one!r}\n\nbatches = {given!r}\n{how}"
            verdict = judged(pipeline, number, legacy, ours, given, restarts=restarts)
            compared += [number] if verdict.compared else []
            if verdict.message is not None:
                self._add("on Spark", f"{_explained(sc, one, given, how)}\n{how}\n\n{about}")
            verdict = judged(pipeline, number, legacy, model, given, restarts=restarts, ours=False)
            if verdict.message is not None:
                self._add("the model, on Spark", f"{verdict.message}\n\n{about}")
        self.ledger.note(ON_SPARK, operators_of(pipeline, compared), len(given))

    def _add(self, where: str, text: str) -> None:
        self.found.append(f"## {where}, seed {self.seed + self.rounds}\n\n```text\n{text}\n```\n")

    def report(self, path: Path, seconds: float) -> None:
        """Write all of it down; the file is there, whole, after every round."""
        operators = sorted({name for counts in self.ledger.operators.values() for name in counts})
        rows = [
            f"| {name} | {self.ledger.of(IN_PROCESS, name)} | {self.ledger.of(ON_SPARK, name)} |"
            for name in operators
        ]
        lines = [
            "# Parity, a deep run",
            "",
            f"Seed {self.seed}, {self.rounds} rounds in {seconds / 60:.1f} minutes: "
            f"{self.summary()}.",
            "",
            "| operator | graphs in process | graphs on Spark |",
            "|---|---|---|",
            *rows,
            "",
            *(self.found or ["Nothing differed."]),
        ]
        temporary = path.with_name(path.name + ".tmp")
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.replace(temporary, path)

    def summary(self) -> str:
        graphs = self.ledger.graphs
        differ = f"{len(self.found)} differed" if self.found else "all the same"
        return f"{graphs[IN_PROCESS]} graphs in process, {graphs[ON_SPARK]} on Spark, {differ}"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--minutes", type=click.FloatRange(min=0), default=10.0, show_default=True)
@click.option("--seed", type=int, default=None, help="Seed of the first round; random by default.")
@click.option(
    "--spark/--no-spark", default=True, help="Whether to replay on Spark, too (the default)."
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("build/parity-report.md"),
    show_default=True,
)
def main(minutes: float, seed: int | None, spark: bool, report: Path) -> None:
    """Try random graphs until the time is up, and report what differed."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        raise click.ClickException("PYTHONHASHSEED=0 must be set: use `make parity-deep`.")
    try:
        report.resolve().parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.ClickException(
            f"The report cannot be written to {report}: {error.strerror}."
        ) from None
    run = Run(secrets.randbelow(2**31) if seed is None else seed)
    sc = spark_context() if spark else None
    began = time.monotonic()
    length = max(1, round(minutes * 60))
    with click.progressbar(length=length, file=sys.stderr, item_show_func=str) as bar:
        shown = 0
        while True:
            run.in_process()
            if sc is not None:
                run.on_spark(sc)
            run.rounds += 1
            passed = time.monotonic() - began
            run.report(report, passed)
            bar.update(max(0, min(length, round(passed)) - shown), run.summary())
            shown = min(length, round(passed))
            if passed >= minutes * 60:
                break
    click.echo(f"{run.summary()}; the report is in {report}")
    if run.found:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
