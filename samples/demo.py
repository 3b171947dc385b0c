"""``python -m samples.demo``: takes a legacy job all the way: scan, rewrite, verify, verdict."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
JOB = "samples/legacy/stateful_wordcount.py"
BATCHES = "samples/batches/stateful_wordcount.jsonl"
RIGHT, WRONG = "sum(new_values) + (total or 0)", "sum(new_values) or (total or 0)"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if both engines gave the same, 1 if not, 2 for wrong usage or if there is no verdict."""
    options = _options(arguments)
    if options is None:
        return 2
    _prepare()
    began = time.monotonic()
    print(f"The job: {JOB}, a word count with state, written for pyspark.streaming.\n")
    _step(1, "What is in the job, and what does it take to move it?")
    if _migrate("scan", JOB) != 0:
        return _gave_up("scan")
    _step(2, "What would change? (Without --diff, migrate rewrite changes the file.)")
    if _migrate("rewrite", "--diff", JOB) != 1:
        return _gave_up("rewrite")
    _step(3, "Does the rewritten job give the same results?")
    number = len((ROOT / BATCHES).read_text(encoding="utf-8").splitlines())
    print(f"Both get the same {number} batches. The original runs on the legacy engine, twice, to")
    print("check that it agrees with itself; the rewritten job runs on Structured Streaming. Every")
    print("output of every batch is compared. This starts Spark twice and takes about a minute.\n")
    with TemporaryDirectory() as directory:
        wrong = ("--rewritten", _sabotaged(Path(directory))) if options.sabotage else ()
        verbose = ("--verbose",) if options.verbose else ()
        code = _migrate(
            "verify", JOB, "--input", BATCHES, *wrong, *verbose, "--", "localhost", "9999"
        )
    print(f"\nVerdict: {VERDICTS.get(code, VERDICTS[2])} ({time.monotonic() - began:.0f} s)")
    return code


VERDICTS = {
    0: "EQUAL, on these batches.",
    1: "DIFFERENT. Do not move the job like this.",
    2: "COULD NOT BE COMPARED.",
}


def _step(number: int, question: str) -> None:
    print(f"--- {number}. {question} ".ljust(100, "-"), flush=True)


def _migrate(*arguments: str) -> int:
    """Show and run a `migrate` command; returns its exit code."""
    print(f"$ migrate {' '.join(arguments)}", flush=True)
    code = subprocess.run([sys.executable, "-m", "migrator", *arguments], cwd=ROOT).returncode
    print(flush=True)
    return code


def _gave_up(command: str) -> int:
    print(f"demo: migrate {command} failed unexpectedly", file=sys.stderr)
    return 2


def _sabotaged(directory: Path) -> str:
    """The rewritten job with a mistake in it."""
    twin = ROOT / "samples" / "migrated" / Path(JOB).name
    path = directory / "sabotaged.py"
    path.write_text(twin.read_text(encoding="utf-8").replace(RIGHT, WRONG), encoding="utf-8")
    return str(path)


def _prepare() -> None:
    """The environment of the JVMs that will start: a quiet log."""
    os.environ.setdefault("SPARK_CONF_DIR", str(ROOT / "conf"))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise argparse.ArgumentError(None, message)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace | None:
    parser = _Parser(prog="python -m samples.demo", description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="show Spark's log")
    parser.add_argument(
        "--sabotage",
        action="store_true",
        help="put a mistake into the rewritten job, to see that verify finds it",
    )
    try:
        return parser.parse_args(arguments)
    except argparse.ArgumentError as error:
        print(f"demo: {error}; see --help", file=sys.stderr)
        return None


if __name__ == "__main__":
    sys.exit(main())
