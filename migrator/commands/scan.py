"""`migrate scan`: the inventory of DStream code."""

from __future__ import annotations

import sys

import click

from migrator import report
from migrator.commands._common import (
    colourful,
    common_options,
    encoded,
    progress_bar,
    settings,
    stdin,
    write_output,
)
from migrator.core import Severity
from migrator.files.discovery import NotFound
from migrator.report import text
from migrator.report.pictures import svg
from migrator.run.running import Options, Report, check

_NEVER = "never"


@click.command("scan")
@click.option(
    "--format",
    "-f",
    type=click.Choice(report.FORMATS),
    help="Report format. Default: the one that --output is named for, or text.",
)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write the report to a file.")
@click.option(
    "--fail-on",
    type=click.Choice([*map(str, reversed(Severity)), _NEVER]),
    default="error",
    show_default=True,
    help="Exit with 1 if a finding is at least this severe.",
)
@common_options
def command(
    paths: tuple[str, ...],
    format: report.Format | None,
    output: str | None,
    fail_on: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    config_file: str | None,
    python2: bool,
    jobs: int | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Report the DStream code and how ready each job is to move.

    PATH is a file, a notebook, a directory, or - for standard input. Nothing is changed.

    Exit codes: 0, 1 if a finding is at least as severe as --fail-on says, or 2 for a usage error or
    a file that could not be handled.
    """
    format = format or report.format_for(output)
    chosen = settings(paths, config_file, select=select, ignore=ignore, exclude=exclude)
    options = Options(config=chosen, python2=python2, draw=svg if format == "html" else None)
    try:
        with progress_bar(quiet) as progress:
            found = check(paths, options, stdin=stdin(paths), processes=jobs, progress=progress)
    except NotFound as error:
        raise click.UsageError(str(error)) from None
    least = None if fail_on == _NEVER else Severity[fail_on.upper()]
    colour = output is None and colourful(sys.stdout)
    if format != "text":
        made = report.render(found, format)
    elif quiet:
        made = text.findings_only(found, least, colour=colour)
    else:
        made = text.render(found, colour=colour, verbose=verbose)
    _show(found, made, output, format, colour=colour, quiet=quiet)
    sys.exit(_exit_code(found, least))


def _exit_code(found: Report, least: Severity | None) -> int:
    if found.failed:
        return 2
    return int(least is not None and any(f.severity >= least for f in found.findings))


def _show(
    found: Report, made: str, output: str | None, format: str, *, colour: bool, quiet: bool
) -> None:
    """The report to standard output or a file; failures that it may not show to standard error."""
    if output is None:
        click.echo(made if format == "text" else encoded(made), nl=False, color=colour)
    else:
        write_output(output, made)
        if not quiet:
            click.echo(f"The report is in {output}.", err=True)
    if format != "text" or quiet or output is not None:
        for line in text.failures(found):
            click.echo(line, err=True)
