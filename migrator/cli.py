"""The command line: options and exit codes, nothing else.

Exit codes: 0 done, 2 the command could not be carried out (click uses 2 for wrong usage, too).
"""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from migrator import __version__

CANNOT = 2

# A command still to come accepts anything: the answer should be about it, not about an option.
_ANY_ARGUMENTS = {"ignore_unknown_options": True, "allow_extra_args": True}


@click.group()
@click.version_option(__version__, prog_name="migrate")
def migrate() -> None:
    """Move PySpark DStream jobs to Structured Streaming."""


@migrate.command(context_settings=_ANY_ARGUMENTS)
def scan() -> None:
    """Report the DStream code in files and directories (not yet built)."""
    _not_yet("scan")


@migrate.command(context_settings=_ANY_ARGUMENTS)
def rewrite() -> None:
    """Rewrite DStream code to run on Structured Streaming (not yet built)."""
    _not_yet("rewrite")


@migrate.command(context_settings=_ANY_ARGUMENTS)
def verify() -> None:
    """Compare a rewritten job with the original, batch by batch (not yet built)."""
    _not_yet("verify")


def main() -> None:
    """Entry point of the console scripts `migrate` and `dstream-migrate`."""
    migrate(prog_name="migrate")


def _not_yet(command: str) -> NoReturn:
    click.echo(f"migrate {command} is not yet built in this version.", err=True)
    sys.exit(CANNOT)
