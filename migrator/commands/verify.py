"""`migrate verify`: compares a job on both engines. Spark runs in a separate process."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys

import click

CANNOT = 2
_FAILED = 1  # Python's own exit code when something raises: no verdict may look like that
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
    help="Batches for the sources: a recording, a directory with one text file per batch, or JSON "
    "lines with one batch per line. SOURCE is the number or name of a source.",
)
@click.option(
    "--sample",
    multiple=True,
    metavar="[SOURCE=]FILE",
    help="Try --examples batches made from the lines of FILE, and shrink what differs.",
)
@click.option(
    "--examples",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Number of examples that --sample tries.",
)
@click.option("--seed", type=int, help="Make the same examples as an earlier run with this seed.")
@click.option(
    "--save-test",
    metavar="FILE",
    help="File for the test that --sample saves if something differs.",
)
@click.option(
    "--rewritten", metavar="FILE", help="Use FILE as the rewritten job instead of rewriting JOB."
)
@click.option(
    "--against",
    type=click.Choice(["legacy", "recorded"]),
    default="legacy",
    show_default=True,
    help="What to compare with: the legacy engine, or the recorded outputs.",
)
@click.option("--batches", type=click.IntRange(min=1), help="Number of batches to run.")
@click.option("--prelude", metavar="FILE", help="Run FILE before the job, on both sides.")
@click.option(
    "--shell", is_flag=True, help="Define sc, spark and sqlContext for the job, as a shell does."
)
@click.option(
    "--run-outputs",
    is_flag=True,
    help="Run the bodies of foreachRDD, and compare their prints, exceptions and actions.",
)
@click.option("--ordered", is_flag=True, help="Compare the order of elements, too.")
@click.option("--strict", is_flag=True, help="Exit with 2 if any output could not be compared.")
@click.option(
    "--show-values", is_flag=True, help="Show elements that differ, and the texts of errors."
)
@click.option(
    "--trust", is_flag=True, help="Load pickled elements of recordings, which runs code in them."
)
@click.option(
    "--graph-timeout",
    type=_SECONDS,
    default=180.0,
    show_default=True,
    help="Seconds the job has until start().",
)
@click.option(
    "--batch-timeout",
    type=_SECONDS,
    default=120.0,
    show_default=True,
    help="Seconds a batch may take.",
)
@click.option("--json", metavar="FILE", help="Write a JSON report to FILE; - prints it.")
@click.option(
    "--html", metavar="FILE", help="Write an HTML report with a timeline of the batches to FILE."
)
@click.option("-v", "--verbose", is_flag=True, help="Show what the job and Spark print and log.")
def command(**options: object) -> None:
    """Run JOB on the legacy engine and, rewritten, on Structured Streaming, and compare.

    JOB is not changed. --input or --sample feeds its sources, its checkpoints go to a temporary
    directory, and what output operations would save is captured. Every output operation is
    compared batch by batch.

    All other code of the job runs for real, three times: anything it writes while it builds its
    graph, or inside map and transform, is really written.
    """
    if importlib.util.find_spec("pyspark") is None:
        click.echo(_NEEDS_SPARK, err=True)
        sys.exit(CANNOT)
    sys.exit(_run(json.dumps(options)))


def _run(request: str) -> int:
    """The exit code of the process that verifies. Signals go to it: it has child processes."""
    passed_on = (signal.SIGINT, signal.SIGTERM)
    # Held back until it can handle them; it inherits the mask.
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
