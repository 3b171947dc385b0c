"""Random graphs for as long as one likes: ``make parity-deep ARGS="--minutes 30"``.

Rounds take turns: some hundred graphs in process against the model, then some on Spark against the
legacy engine and the model. Every round has a seed of its own, so two runs with the same first seed
try the same. What differs is made smaller and put into the report, ready for regressions.py.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from dstream_compat.testing import difference, functions, replay
from dstream_compat.testing.engines import spark_context
from dstream_compat.testing.pipelines import Pipeline
from dstream_compat.testing.shrink import Case, smallest
from dstream_compat.testing.strategies import STATEFUL, STATELESS, batches, examples, pipelines
from parity_tests.known import known_to_differ
from parity_tests.ledger import IN_PROCESS, ON_SPARK, Ledger
from parity_tests.model import replay_model
from parity_tests.on_spark import explained
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


@dataclass
class Run:
    """What was tried, and what differed."""

    seed: int
    ledger: Ledger = field(default_factory=Ledger)
    found: list[str] = field(default_factory=list)
    rounds: int = 0

    def in_process(self, graphs: int = 200) -> None:
        kinds = IN_PROCESS_ONLY[self.rounds % len(IN_PROCESS_ONLY)]
        few = self.rounds % 2 == 0
        together = 1 if "remembering" in kinds else 1 + self.rounds % 3
        known = len(self.found)
        for pipeline, ticks in examples(
            cases(*kinds, few=few, steps=8), graphs, seed=self.seed + self.rounds
        ):
            if found_in_process(pipeline, ticks, together=together) is not None:
                self._report_in_process(Case(pipeline, ticks), together)
                if len(self.found) - known == _ENOUGH:
                    return  # more of the same, most likely
            self.ledger.note_pipeline(IN_PROCESS, pipeline, len(ticks))

    def _report_in_process(self, case: Case, together: int) -> None:
        def fails(asked: Case) -> bool:
            assert isinstance(asked.pipeline, Pipeline)
            try:
                return bool(found_in_process(asked.pipeline, asked.batches, together=together))
            except Exception:
                return False  # a smaller pipeline that asks too much of its elements

        small = smallest(case, lambda asked: [fails(one) for one in asked], seconds=20)
        assert isinstance(small.pipeline, Pipeline)
        message = found_in_process(small.pipeline, small.batches, together=together)
        self._add("in process", f"{message}\n\nbatches = {small.batches!r}\ntogether = {together}")

    def on_spark(self, sc: Any, graphs: int = 10, ticks: int = 7) -> None:
        kinds = MIXES[self.rounds % len(MIXES)]
        seed = self.seed + self.rounds
        shape: dict[str, Any] = {"inputs": 2, "keyed": True}
        drawn = examples(pipelines(**shape, kinds=kinds, outputs=2, steps=8), graphs, seed=seed)
        given = examples(batches(**shape, ticks=ticks, few=True), 10, seed=seed)[-1]
        together = 1 if "remembering" in kinds else 1 + self.rounds % 3

        def build(ssc: Any, inputs: list[Any]) -> list[Any]:
            return [output for pipeline in drawn for output in pipeline(ssc, inputs)]

        before = functions.set_level if together == 1 else None
        legacy = replay(build, given, "legacy", sc=sc, before=before)
        sides = {
            "compat": replay(build, given, "compat", sc=sc, together=together, before=before),
            "model": replay_model(build, given, before=before),
        }
        at = 0
        for pipeline in drawn:
            for number, exact in enumerate(pipeline.exact):
                if known_to_differ(pipeline.outputs[number], given) is None:
                    for side, outcomes in sides.items():
                        message = difference([legacy[at]], [outcomes[at]], ordered=exact)
                        if message is not None:
                            self._report_on_spark(sc, side, message, pipeline.only(number), given)
                at += 1
            self.ledger.note_pipeline(ON_SPARK, pipeline, len(given))

    def _report_on_spark(
        self, sc: Any, side: str, message: str, pipeline: Pipeline, given: Any
    ) -> None:
        if side == "compat":
            self._add("on Spark", explained(sc, pipeline, given, seconds=60))
        else:
            self._add("the model, on Spark", f"{message}\n\n{pipeline!r}\n\nbatches = {given!r}")

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
@click.option("--seed", type=int, default=None, help="of the first round; drawn if not given")
@click.option("--spark/--no-spark", default=True, help="also on Spark (default), or not")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("build/parity-report.md"),
    show_default=True,
)
def main(minutes: float, seed: int | None, spark: bool, report: Path) -> None:
    """Try random graphs until the time is up, and write down what differed."""
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
