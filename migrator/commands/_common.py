"""What the commands that go through files share: options, colours, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TextIO, TypeVar

import click

from migrator.files import writing
from migrator.files.discovery import STDIN
from migrator.run import config
from migrator.run.running import Progress

_MANY = 200  # files from which a progress bar is worth it

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("paths", nargs=-1, required=True, metavar="PATH…"),
    click.option(
        "--select",
        multiple=True,
        metavar="CODE",
        help="Run only these rules (DS310, or DS3 for all of them).",
    ),
    click.option("--ignore", multiple=True, metavar="CODE", help="Skip these rules."),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Skip these paths."),
    click.option(
        "--config",
        "config_file",
        type=click.Path(dir_okay=False),
        help="Read settings from this file. Default: the nearest pyproject.toml.",
    ),
    click.option("--python2", is_flag=True, help="Read files that are not Python 3 as Python 2."),
    click.option(
        "--jobs", "-j", type=click.IntRange(1), help="Number of processes. Default: one per core."
    ),
    click.option("--quiet", "-q", is_flag=True, help="Print only what decides the exit code."),
    click.option("--verbose", "-v", is_flag=True, help="Print more."),
)


def common_options(command: Command) -> Command:
    """PATH…, the options about rules and files, and how much is said."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings(
    paths: tuple[str, ...],
    config_file: str | None,
    *,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
) -> config.Config:
    """The settings of a run; what cannot be meant is a usage error."""
    try:
        found = config.read(config_file) if config_file else config.find(paths)
        return found.overridden(select=select, ignore=ignore, exclude=exclude)
    except config.BadConfig as error:
        raise click.UsageError(str(error)) from None


def stdin(paths: tuple[str, ...]) -> bytes | None:
    """Standard input, if it is asked for."""
    return sys.stdin.buffer.read() if STDIN in paths else None


def encoded(made: str) -> bytes:
    """For files and programs: UTF-8, whatever a terminal has."""
    return made.encode("utf-8", "replace")  # names of files may hold bytes that are not characters


def write_output(path: str, made: str) -> None:
    """Write what a command made to the file that --output names."""
    try:
        writing.create(path, encoded(made))
    except writing.CannotWrite as error:
        raise click.UsageError(f"{path}: {error}") from None


def colourful(stream: TextIO) -> bool:
    """Colours only on a terminal, and not if https://no-color.org is obeyed."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """A bar on standard error: on a terminal, on long runs."""
    with ExitStack() as stack:
        bar: Any = None

        def progress(done: int, total: int) -> None:
            nonlocal bar
            if bar is None:
                shown = click.progressbar(length=total, label="Reading files", file=sys.stderr)
                bar = stack.enter_context(shown)
            bar.update(done)

        silent = quiet or not sys.stderr.isatty()
        yield lambda done, total: None if silent or total < _MANY else progress(done, total)
