"""``python -m samples.demo``: a legacy word count on the old engine and on this one, compared."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext

    from dstream_compat.testing import Batches, Outcome, Outcomes

ROOT = Path(__file__).resolve().parent.parent
JOB = "samples/legacy/queue_wordcount.py"
TEXT = [
    ["the quick brown fox", "jumps over the lazy dog"],
    ["the dog sleeps"],
    [],
    ["The fox and THE dog", "are friends now", "the end"],
]
WIDTH = 34


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if both engines gave the same, 1 if not, 2 for bad usage."""
    options = _options(arguments)
    if options is None:
        return 2
    _prepare(options.verbose)
    print(f"The job: count_words(lines) from {JOB}, written for pyspark.streaming.")
    print("         It gets the same", len(TEXT), "batches of lines on both engines.\n")
    sc = _step("starting Spark (local[2])", _spark)
    try:
        old, new = run(sc, sabotage=options.sabotage)
    finally:
        sc.stop()
    print()
    return report(old, new)


def run(sc: SparkContext, sabotage: bool = False) -> tuple[Outcomes, Outcomes]:
    """What the word count does on the legacy engine and on ours."""
    from dstream_compat.testing.legacy import replay_legacy
    from dstream_compat.testing.on_spark import replay_on_spark

    job = importlib.import_module("samples.legacy.queue_wordcount")

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [job.count_words(inputs[0])]

    batches: Batches = [[[lines[:1], lines[1:]]] for lines in TEXT]
    other = [*batches[:-1], [[["the fox"], []]]] if sabotage else batches
    old = _step(
        "old engine: pyspark.streaming", lambda: replay_legacy(build, batches, sc=sc, timeout=90)
    )
    new = _step(
        "new engine: dstream_compat on Structured Streaming",
        lambda: replay_on_spark(build, other, sc=sc, timeout=90),
    )
    return old, new


def report(old: Outcomes, new: Outcomes) -> int:
    """Print the batches of the first output side by side, and the verdict; 0 if all are equal."""
    from dstream_compat.testing import difference

    print(f"{'pyspark.streaming':<{WIDTH}} | dstream_compat")
    same = True
    for number, (left, right) in enumerate(zip(old[0], new[0], strict=True)):
        reason = difference([[left]], [[right]])
        same = same and reason is None
        title = f"--- batch {number + 1}: {'EQUAL' if reason is None else 'DIFFERENT'} "
        print(title.ljust(2 * WIDTH + 3, "-"))
        for a, b in zip_longest(_lines(left), _lines(right), fillvalue=""):
            print(f"{a:<{WIDTH}} | {b}".rstrip())
    print("-" * (2 * WIDTH + 3))
    print(f"\nVerdict: {'EQUAL' if same else 'DIFFERENT'} ({len(old[0])} batches)")
    return 0 if same else 1


def _lines(outcome: Outcome) -> list[str]:
    from dstream_compat.testing import Seen

    if not isinstance(outcome, Seen):
        return [str(outcome)]
    elements = sorted(map(repr, chain.from_iterable(outcome.partitions)))
    return elements or ["(nothing)"]


def _step(what: str, action: Callable[[], Any]) -> Any:
    print(f"{what} …", end=" ", flush=True)
    began = time.monotonic()
    result = action()
    print(f"done in {time.monotonic() - began:.1f} s", flush=True)
    return result


def _spark() -> SparkContext:
    from pyspark import SparkConf, SparkContext

    conf = SparkConf().setMaster("local[2]").setAppName("demo").set("spark.ui.enabled", "false")
    return SparkContext(conf=conf)


def _prepare(verbose: bool) -> None:
    """The environment of the JVM that is going to be started: a quiet log, and this Python."""
    os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if verbose:
        os.environ.setdefault("SPARK_LOG_LEVEL", "warn")
    # the job's functions are pickled by name: workers must find the module they are in
    paths = [str(ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise argparse.ArgumentError(None, message)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace | None:
    parser = _Parser(prog="python -m samples.demo", description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="show Spark's log")
    parser.add_argument(
        "--sabotage",
        action="store_true",
        help="give the new engine another last batch, to see that a difference is found",
    )
    try:
        return parser.parse_args(arguments)
    except argparse.ArgumentError as error:
        print(f"demo: {error}; see --help", file=sys.stderr)
        return None


if __name__ == "__main__":
    sys.exit(main())
