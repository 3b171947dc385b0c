"""`migrate rewrite`: jobs moved to the shim, in place."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from typing import BinaryIO

import click

from migrator.commands._common import common_options, progress_bar, settings, stdin
from migrator.core import Changed, Failed, Finding, Readiness, Result, Skipped
from migrator.files import diffs, writing
from migrator.files.discovery import STDIN, NotFound
from migrator.report.summary import counted, place, shown
from migrator.run.moving import halves
from migrator.run.rewriting import rewrite
from migrator.run.running import Options, Report, check


@click.command("rewrite")
@click.option("--diff", is_flag=True, help="Change nothing; print a diff for git apply.")
@click.option("--check", "only_check", is_flag=True, help="Change nothing; list what would change.")
@click.option("--output", "-o", metavar="PATH", help="Write to this file or directory instead.")
@click.option("--backup", is_flag=True, help="Keep the originals for migrate undo.")
@click.option("--unsafe-fixes", is_flag=True, help="Also make changes that need a review.")
@common_options
def command(
    paths: tuple[str, ...],
    diff: bool,
    only_check: bool,
    output: str | None,
    backup: bool,
    unsafe_fixes: bool,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exclude: tuple[str, ...],
    config_file: str | None,
    python2: bool,
    jobs: int | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Move DStream jobs to dstream_compat.

    PATH is a file, a notebook, a directory, or - to read standard input and write standard output.
    Each file is changed in place, completely or not at all.

    Exit codes: 0 if nothing is left to fix by hand, 1 if something is (with --diff or --check: if
    something would change), 2 for a usage error or a file that could not be handled.
    """
    _refuse(paths, diff=diff, only_check=only_check, output=output, backup=backup)
    chosen = settings(paths, config_file, select=select, ignore=ignore, exclude=exclude)
    options = Options(
        config=chosen, handler=partial(rewrite, unsafe=unsafe_fixes), python2=python2, around=False
    )
    given = stdin(paths)
    try:
        with progress_bar(quiet) as progress:
            report = check(paths, options, stdin=given, processes=jobs, progress=progress)
    except NotFound as error:
        raise click.UsageError(str(error)) from None
    say = _Speaker(quiet, verbose, dry=diff or only_check)
    for failure in report.failed:
        say.failed(failure)
    results: list[Result] = []
    for result in report.results:
        try:
            if diff:
                _print_diff(result)
            elif not only_check:
                _put(result, paths, output, given, backup)
            say.done(result)
        except writing.CannotWrite as error:
            left = () if isinstance(result, Skipped) else result.findings
            result = say.failed(Failed(result.path, str(error), left))
        results.append(result)
    report = replace(report, results=tuple(results))
    say.remaining(report)
    if report.failed:
        sys.exit(2)
    if diff or only_check:
        sys.exit(int(any(isinstance(result, Changed) for result in report.results)))
    sys.exit(int(any(map(is_left, report.findings))))


def is_left(finding: Finding) -> bool:
    """Whether a finding that was not fixed needs attention."""
    return finding.readiness is not Readiness.READY or finding.fix is not None


def _refuse(
    paths: tuple[str, ...], *, diff: bool, only_check: bool, output: str | None, backup: bool
) -> None:
    """Options that contradict each other."""
    if output is not None and (diff or only_check or backup):
        raise click.UsageError("--output cannot be combined with --diff, --check or --backup.")
    if backup and (diff or only_check):
        raise click.UsageError("--backup cannot be combined with --diff or --check.")
    if STDIN in paths and backup:
        raise click.UsageError("--backup needs a file: standard input has none.")
    if STDIN in paths and len(paths) > 1:
        raise click.UsageError(
            "- cannot be combined with other paths: there is only one standard output."
        )


# -- what becomes of a result ---------------------------------------------------------------------


def _print_diff(result: Result) -> None:
    if isinstance(result, Changed):
        _stdout().write(diffs.unified(result.path, result.before, result.after))


def _put(
    result: Result, paths: tuple[str, ...], output: str | None, given: bytes | None, backup: bool
) -> None:
    """The new bytes where they belong."""
    if isinstance(result, Failed):
        return
    if output is not None:
        like = None if result.path == STDIN else result.path
        target = _target(result.path, paths, output)
        if like is not None and os.path.exists(target) and os.path.samefile(like, target):
            raise writing.CannotWrite(
                "would be overwritten; leave out --output to rewrite it in place"
            )
        writing.create(target, _bytes(result, given), like)
    elif result.path == STDIN:
        _stdout().write(_bytes(result, given))
    elif isinstance(result, Changed):
        writing.write(result.path, result.before, result.after, backup=backup)


def _bytes(result: Result, given: bytes | None) -> bytes:
    if isinstance(result, Changed):
        return result.after
    if result.path == STDIN:
        return given or b""
    try:
        with open(result.path, "rb") as file:
            return file.read()
    except OSError as error:
        raise writing.CannotWrite(f"cannot be read: {error.strerror or error}") from None


def _target(path: str, paths: tuple[str, ...], output: str) -> str:
    """Where a file goes: one file to a file, anything else below a directory."""
    single = len(paths) == 1 and not os.path.isdir(paths[0])
    if single and not os.path.isdir(output) and not output.endswith(("/", os.sep)):
        return output
    here = os.path.abspath(path)
    for root in paths:
        top = os.path.abspath(root)
        if os.path.isdir(top) and os.path.commonpath([top, here]) == top:
            return os.path.join(output, os.path.relpath(here, top))
    return os.path.join(output, "stdin.py" if path == STDIN else os.path.basename(path))


def _stdout() -> BinaryIO:
    return sys.stdout.buffer


# -- what is said ---------------------------------------------------------------------------------


class _Speaker:
    """To standard error: standard output is for new sources and diffs."""

    def __init__(self, quiet: bool, verbose: bool, dry: bool) -> None:
        self._quiet, self._verbose, self._dry = quiet, verbose, dry

    def done(self, result: Result) -> None:
        if self._quiet or isinstance(result, Failed):
            return
        if isinstance(result, Changed):
            fixes = counted(len(result.fixed), "change")
            self._say(
                f"{'would rewrite' if self._dry else 'rewritten'} {shown(result.path)}: {fixes}"
            )
            if self._verbose:
                for finding in result.fixed:
                    self._say(f"  {place(finding)}: {finding.code} {finding.help}")
        elif self._verbose:
            why = "no DStream code" if isinstance(result, Skipped) else "nothing to change"
            self._say(f"unchanged {shown(result.path)}: {why}")

    def failed(self, failed: Failed) -> Failed:
        self._say(f"{shown(failed.path)}: {failed.reason}", fg="red")
        return failed

    def remaining(self, report: Report) -> None:
        """What is left to do, or good to know."""
        for kept, moved in halves(report.results):
            others = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
            self._say(
                f"{shown(kept)} was not rewritten, but {shown(moved[0])}{others} of the same job "
                f"{'were' if others else 'was'}: old and new streams do not mix, so move all files "
                "of a job or none",
                fg="yellow",
            )
        left = [finding for finding in report.findings if is_left(finding)]
        notes = [finding for finding in report.findings if not is_left(finding)]
        if self._quiet and self._dry:
            return  # the exit code says whether anything would change
        for finding in [*left, *notes] if self._verbose else left:
            self._say(f"{place(finding)}: {finding.severity} {finding.code} {finding.message}")
            if not self._quiet:
                self._say(f"  → {finding.help}")
        if not self._quiet:
            self._say(self._summary(report, left, notes))

    def _summary(self, report: Report, left: list[Finding], notes: list[Finding]) -> str:
        changed = sum(isinstance(result, Changed) for result in report.results)
        verb = "would be rewritten" if self._dry else "rewritten"
        parts = [f"{counted(changed, 'file')} {verb}"]
        if left:
            parts.append(f"{counted(len(left), 'finding')} left to fix by hand")
        if notes and not self._verbose:
            parts.append(f"{counted(len(notes), 'note')} (-v shows them)")
        if report.failed:
            parts.append(f"{counted(len(report.failed), 'file')} could not be handled")
        return ", ".join(parts) + "."

    def _say(self, text: str, fg: str | None = None) -> None:
        colourful = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
        click.echo(click.style(text, fg=fg) if fg and colourful else text, err=True)
