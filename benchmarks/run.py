"""``python -m benchmarks.run``: seconds per batch on the legacy engine and on this one."""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import spark
from benchmarks.workloads import IDLE, WORKLOADS

if TYPE_CHECKING:
    from pyspark import SparkContext

    from benchmarks.checkouts import Checkout

Figures = dict[str, Any]  # of one engine: median, quartiles, p95 and all seconds

REGIMES = {"saturated": WORKLOADS, "idle": IDLE}
TITLES = {
    "saturated": "seconds per batch, back to back",
    "idle": "seconds from batch time to end of output, a batch every 2 s",
}
ROUNDS = {"saturated": 3, "idle": 1}
BATCHES = {"saturated": 8, "idle": 20}


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when everything was measured, 2 for bad usage."""
    try:
        options = _options(arguments)
    except argparse.ArgumentError as error:
        print(f"bench: {error}; see --help", file=sys.stderr)
        return 2
    spark.prepare(options.verbose)
    with contextlib.ExitStack() as stack:
        sc = stack.enter_context(spark.context())
        machine = spark.machine(sc)
        print(machine, flush=True)
        other: Checkout | None = None
        if options.checkout:
            from benchmarks.checkouts import Checkout

            other = stack.enter_context(Checkout(options.checkout))
        results = [
            row
            for regime in options.regime
            for row in _run(sc, regime, options, options.earlier, other)
        ]
    if options.json:
        told = {"format": 2, "machine": machine, "workloads": results}
        options.json.write_text(json.dumps(told, indent=2) + "\n")
    return 0


def _run(
    sc: SparkContext,
    regime: str,
    options: argparse.Namespace,
    earlier: dict[str, Figures],
    other: Checkout | None,
) -> list[Figures]:
    """Measure and print a table, row by row; rounds take turns between the engines."""
    from benchmarks.engines import measure

    rounds = options.rounds or ROUNDS[regime]
    batches = options.batches or BATCHES[regime]
    chosen = [w for w in REGIMES[regime] if not options.only or w.name in options.only]
    if not chosen:
        return []
    width = max(len(TITLES[regime]), *(len(workload.says) for workload in chosen))
    heads = ["legacy", "ours", "ours/legacy"]
    heads += ["earlier ratio"] if earlier else []
    heads += ["theirs", "ours/theirs"] if other else []
    print(f"\n{rounds} rounds of {batches} batches per engine; median (p95)")
    print(f"{TITLES[regime]:<{width}}  {'  '.join(f'{head:>13}' for head in heads)}", flush=True)
    results = []
    for workload in chosen:
        seconds: dict[str, list[float]] = {"legacy": [], "ours": [], "theirs": []}
        for _ in range(rounds):
            if not getattr(workload, "new", False):
                seconds["legacy"] += measure(sc, "legacy", workload.name, batches)
            seconds["ours"] += measure(sc, "ours", workload.name, batches)
            if other:
                seconds["theirs"] += other.measure(workload.name, batches)
        row: Figures = {"name": workload.name, "says": workload.says, "regime": regime}
        row |= {engine: _figures(found) for engine, found in seconds.items() if found}
        row["ratio"] = _ratio(row, "ours", "legacy")
        cells = [_cell(row.get("legacy")), _cell(row["ours"]), _number(row["ratio"])]
        if earlier:
            cells.append(_number(earlier.get(workload.name, {}).get("ratio")))
        if other:
            cells += [_cell(row["theirs"]), _number(_ratio(row, "ours", "theirs"))]
        print(f"{workload.says:<{width}}  {'  '.join(f'{c:>13}' for c in cells)}", flush=True)
        results.append(row)
    return results


def _figures(seconds: list[float]) -> Figures:
    """
    >>> _figures([1.0, 2.0, 3.0])["median"]
    2.0
    """
    low, middle, high = (
        statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else seconds * 3
    )
    p95 = sorted(seconds)[min(len(seconds) - 1, round(0.95 * (len(seconds) - 1)))]
    return {"median": middle, "quartiles": [low, high], "p95": p95, "seconds": seconds}


def _ratio(row: Figures, engine: str, to: str) -> float | None:
    if engine not in row or to not in row:
        return None
    ratio: float = row[engine]["median"] / row[to]["median"]
    return ratio


def _cell(figures: Figures | None) -> str:
    return f"{figures['median']:.3f} ({figures['p95']:.2f})" if figures else "-"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise argparse.ArgumentError(None, message)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    names = [workload.name for regime in REGIMES.values() for workload in regime]
    parser = _Parser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "--regime",
        nargs="+",
        choices=list(REGIMES),
        metavar="REGIME",
        help="saturated: batches back to back; idle: one every 2 s (default: saturated)",
    )
    parser.add_argument("--rounds", type=_positive, help="contexts per engine (3; idle: 1)")
    parser.add_argument("--batches", type=_positive, help="batches per context (8; idle: 20)")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FILE|DIR",
        help="compare with an earlier --json file, or with another checkout measured in turn",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show Spark's log")
    options = parser.parse_args(arguments)
    if options.regime is None:
        idle = {workload.name for workload in IDLE}
        wanted = {"idle" if name in idle else "saturated" for name in options.only or ["tiny"]}
        options.regime = [regime for regime in REGIMES if regime in wanted]
    if options.json and not options.json.resolve().parent.is_dir():
        parser.error(f"--json: the directory {options.json.resolve().parent} does not exist")
    options.earlier, options.checkout = _against(parser, options.against)
    return options


def _against(
    parser: argparse.ArgumentParser, given: Path | None
) -> tuple[dict[str, Figures], Path | None]:
    """The rows of an earlier run by name, or the root of another checkout."""
    if given is None:
        return {}, None
    if given.is_dir():
        if not (given / "dstream_compat").is_dir():
            parser.error(f"--against: {given} is not a checkout: it has no dstream_compat/")
        return {}, given
    try:
        rows = json.loads(given.read_text())["workloads"]
        return {row["name"]: row for row in rows}, None
    except OSError as error:
        parser.error(f"--against: cannot read {given}: {error.strerror}")
    except (ValueError, KeyError, TypeError):
        parser.error(f"--against: {given} was not written by --json")
    raise AssertionError("unreachable")


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive whole number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
