"""``python -m benchmarks.run``: seconds per batch on the legacy engine and on this one."""

from __future__ import annotations

import argparse
import atexit
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext

    from benchmarks.workloads import Workload

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when all was measured, 2 for bad usage."""
    from benchmarks.workloads import WORKLOADS

    options = _options(arguments, [workload.name for workload in WORKLOADS])
    if options is None:
        return 2
    chosen = [w for w in WORKLOADS if not options.only or w.name in options.only]
    _prepare(options.verbose)
    sc = _spark()
    try:
        machine = _machine(sc)
        print(f"{machine}; {options.rounds} rounds of {options.batches} batches", flush=True)
        results = _run(sc, chosen, options.rounds, options.batches)
    finally:
        sc.stop()
    if options.json:
        told = {"machine": machine, "rounds": options.rounds, "batches": options.batches}
        options.json.write_text(json.dumps({**told, "workloads": results}, indent=2) + "\n")
    return 0


def _run(
    sc: SparkContext, workloads: Sequence[Workload], rounds: int, batches: int
) -> list[dict[str, Any]]:
    """Measure and print a table, row by row; rounds alternate between the engines."""
    from benchmarks.engines import legacy, ours

    width = max(len(workload.says) for workload in workloads)
    print(f"\n{'seconds per batch (median)':<{width}}  legacy    ours  ours/legacy", flush=True)
    results = []
    for workload in workloads:
        old: list[float] = []
        new: list[float] = []
        for _ in range(rounds):
            if not workload.new:
                old += legacy(sc, workload, batches)
            new += ours(sc, workload, batches)
        b = statistics.median(new)
        a = statistics.median(old) if old else None
        compared = f"{a:6.3f}  {b:6.3f}  {b / a:11.2f}" if a else f"{'-':>6}  {b:6.3f}  {'-':>11}"
        print(f"{workload.says:<{width}}  {compared}", flush=True)
        results.append(
            {
                "name": workload.name,
                "says": workload.says,
                "legacy": {"median": a, "seconds": old},
                "ours": {"median": b, "seconds": new},
                "ratio": b / a if a else None,
            }
        )
    return results


def _machine(sc: SparkContext) -> str:
    return (
        f"{os.cpu_count()} cores, {sc.master}, Spark {sc.version}, "
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )


def _spark() -> SparkContext:
    from pyspark import SparkConf, SparkContext

    from benchmarks.engines import MANUAL_CLOCK

    conf = SparkConf().setMaster("local[2]").setAppName("benchmarks")
    conf.set("spark.ui.enabled", "false").set("spark.streaming.clock", MANUAL_CLOCK)
    sc = SparkContext(conf=conf)
    directory = tempfile.mkdtemp(prefix="benchmarks-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    sc.setCheckpointDir(directory)  # state needs one, on both engines
    return sc


def _prepare(verbose: bool) -> None:
    os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if verbose:
        os.environ.setdefault("SPARK_LOG_LEVEL", "warn")
    # the workloads' functions are pickled by name: workers must find the module they are in
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise argparse.ArgumentError(None, message)


def _options(arguments: Sequence[str] | None, names: list[str]) -> argparse.Namespace | None:
    parser = _Parser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--rounds", type=_positive, default=3, help="contexts per engine (3)")
    parser.add_argument("--batches", type=_positive, default=8, help="batches per context (8)")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("-v", "--verbose", action="store_true", help="show Spark's log")
    try:
        options = parser.parse_args(arguments)
        if options.json and not options.json.resolve().parent.is_dir():
            parser.error(f"--json: there is no directory {options.json.resolve().parent}")
        return options
    except argparse.ArgumentError as error:
        print(f"bench: {error}; see --help", file=sys.stderr)
        return None


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no positive whole number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
