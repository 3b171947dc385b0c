"""`migrate verify`: a job on both engines, compared. What runs Spark is a process of its own."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys

import click

CANNOT = 2
_FAILED = 1  # Python's own exit code where something raises: no verdict must look like that
_SAYS_DIFFERENT = 3

_SECONDS = click.FloatRange(min=0, min_open=True)

_NEEDS_SPARK = (
    "migrate verify runs the job on Spark, which is not installed here: "
    "pip install '.[spark]' in a checkout of this project, and Java 17 or newer."
)


@click.command(
    "verify",
    context_settings={"ignore_unknown_options": False, "help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 equal, 1 different, 2 could not be compared (or wrong usage), 130 "
    "interrupted.",
)
@click.argument("job", type=click.Path())
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- JOB ARGUMENTS]")
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="[SOURCE=]PATH",
    help="Batches for the sources: a recording, a directory with a text file per batch, or JSON "
    "lines with a batch per line. SOURCE is the number or name of a source.",
)
@click.option(
    "--sample",
    multiple=True,
    metavar="[SOURCE=]FILE",
    help="Make batches of the lines of FILE, try --examples of them, shrink what differs.",
)
@click.option(
    "--examples",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many examples --sample tries.",
)
@click.option("--seed", type=int, help="Make the same examples as a run with this seed.")
@click.option("--save-test", metavar="FILE", help="Where --sample saves a test of what differs.")
@click.option("--rewritten", metavar="FILE", help="The rewritten job, if it is not to be made.")
@click.option(
    "--against",
    type=click.Choice(["legacy", "recorded"]),
    default="legacy",
    show_default=True,
    help="Compare with the legacy engine, or with the recorded outputs.",
)
@click.option("--batches", type=click.IntRange(min=1), help="Run this many batches.")
@click.option("--prelude", metavar="FILE", help="Run FILE before the job, on both sides.")
@click.option("--shell", is_flag=True, help="Give the job the shell's sc, spark and sqlContext.")
@click.option(
    "--run-outputs",
    is_flag=True,
    help="Run the bodies of foreachRDD, and compare prints, exceptions and actions, too.",
)
@click.option("--ordered", is_flag=True, help="The order of elements counts.")
@click.option("--strict", is_flag=True, help="Exit with 2 if an output could not be compared.")
@click.option("--show-values", is_flag=True, help="Show elements that differ, and error texts.")
@click.option("--trust", is_flag=True, help="Load pickled elements of recordings (runs code).")
@click.option(
    "--graph-timeout",
    type=_SECONDS,
    default=180.0,
    show_default=True,
    help="Seconds until start().",
)
@click.option(
    "--batch-timeout", type=_SECONDS, default=120.0, show_default=True, help="Seconds per batch."
)
@click.option("--json", metavar="FILE", help="Write a report for programs; - prints it.")
@click.option("--html", metavar="FILE", help="Write a report with a time line of the batches.")
@click.option("-v", "--verbose", is_flag=True, help="Show what the job and Spark print and log.")
def command(**options: object) -> None:
    """Run JOB on the legacy engine and, rewritten, on Structured Streaming, and compare.

    The job is not changed: its sources are fed with --input or --sample, its checkpoints go to a
    temporary directory, and what output operations would save is captured. Every output operation
    is compared batch by batch.

    All other code of the job runs for real, three times: what it writes while it builds its graph,
    or inside map and transform, is written.
    """
    if importlib.util.find_spec("pyspark") is None:
        click.echo(_NEEDS_SPARK, err=True)
        sys.exit(CANNOT)
    sys.exit(_run(json.dumps(options)))


def _run(request: str) -> int:
    """The exit code of the process that does it. Signals are for that one: it has children."""
    passed_on = (signal.SIGINT, signal.SIGTERM)
    # Kept back until it can take them; it inherits the mask.
    signal.pthread_sigmask(signal.SIG_BLOCK, passed_on)
    process = subprocess.Popen(
        [sys.executable, "-m", "dstream_parity.verify"], stdin=subprocess.PIPE, text=True
    )
    for number in passed_on:
        signal.signal(number, lambda number, _: process.send_signal(number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, passed_on)
    process.communicate(request)
    if process.returncode < 0 or process.returncode == _FAILED:
        how = "was killed" if process.returncode < 0 else "failed"
        click.echo(f"migrate verify: its process {how}; there is no verdict", err=True)
        return CANNOT
    return 1 if process.returncode == _SAYS_DIFFERENT else process.returncode
