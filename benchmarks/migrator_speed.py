"""``python -m benchmarks.migrator_speed``: processor time of `migrate scan` and `migrate rewrite`.

The yardstick is a bare ``libcst.parse_module`` of the same files. Each is a process of its own;
rounds alternate between the three, and medians are compared.
"""

from __future__ import annotations

import argparse
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.legacy_jobs import generate

LIMITS = {"scan": 1.0, "rewrite": 3.0}
_PARSE = """
import pathlib, sys
import libcst
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    libcst.parse_module(path.read_bytes())
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when both commands are within their limits, 1 when not."""
    parser = argparse.ArgumentParser(prog="make bench-migrator", description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="migrator-speed-") as directory:
        jobs = Path(directory, "jobs")
        size = generate(jobs, options.files)
        lines = sum(path.read_bytes().count(b"\n") for path in jobs.rglob("*.py"))
        print(f"Python {platform.python_version()}, {options.files} files, {lines} lines, ", end="")
        print(f"{size / 1e6:.1f} MB; {options.rounds} rounds", flush=True)
        times = _rounds(jobs, Path(directory, "copy"), options.rounds)
    return _tell(times, options.files)


def _rounds(jobs: Path, copy: Path, rounds: int) -> dict[str, list[float]]:
    migrate = [sys.executable, "-m", "migrator"]
    times: dict[str, list[float]] = {"libcst.parse_module": [], "scan": [], "rewrite": []}
    for _ in range(rounds):
        parse = [sys.executable, "-c", _PARSE, str(jobs)]
        times["libcst.parse_module"].append(_processor_time(parse))
        times["scan"].append(_processor_time([*migrate, "scan", "--jobs", "1", str(jobs)]))
        shutil.copytree(jobs, copy)
        times["rewrite"].append(_processor_time([*migrate, "rewrite", "--jobs", "1", str(copy)]))
        shutil.rmtree(copy)
    return times


def _processor_time(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command[:4])}: {done.stderr.decode(errors='replace')}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _tell(times: dict[str, list[float]], files: int) -> int:
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    bare = medians["libcst.parse_module"]
    print(f"\n{'processor time (median)':<24}  seconds  ms/file  × parse  limit")
    for name, seconds in medians.items():
        limit = f"{LIMITS[name]:5.1f}" if name in LIMITS else ""
        each = 1000 * seconds / files
        print(f"{name:<24}  {seconds:7.2f}  {each:7.2f}  {seconds / bare:7.2f}  {limit}".rstrip())
    return int(any(medians[name] > limit * bare for name, limit in LIMITS.items()))


if __name__ == "__main__":
    raise SystemExit(main())
