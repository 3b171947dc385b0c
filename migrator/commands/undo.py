"""`migrate undo`: originals that `migrate rewrite --backup` kept, back in their places."""

from __future__ import annotations

import os
import sys
from itertools import groupby

import click

from migrator.files import writing
from migrator.report.summary import counted, shown


@click.command("undo")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…")
@click.option("--quiet", "-q", is_flag=True, help="Print only problems.")
def command(paths: tuple[str, ...], quiet: bool) -> None:
    """Restore the originals that migrate rewrite --backup kept.

    PATH is a rewritten file, or a directory for all rewritten files below it. A file that has
    changed since stays as it is.

    Exit codes: 0 if everything was restored, 1 if there is no backup, 2 if a file could not be
    restored.
    """
    for path in paths:
        if not os.path.exists(path):
            raise click.UsageError(f"{path}: no such file or directory")
    kept = sorted({o for path in paths for o in writing.originals(path)}, key=lambda o: o.path)
    restored = refused = 0
    for path, group in groupby(kept, key=lambda original: original.path):
        choices = list(group)
        original = next((o for o in choices if writing.is_current(o)), choices[0])
        try:
            original.restore()
        except writing.CannotWrite as error:
            refused += 1
            click.echo(f"{shown(path)}: {error}", err=True)
            continue
        restored += 1
        if not quiet:
            click.echo(f"restored {shown(path)}", err=True)
    if not kept:
        click.echo("No backup found: migrate rewrite --backup makes them.", err=True)
    elif not quiet:
        click.echo(f"{counted(restored, 'file')} restored.", err=True)
    sys.exit(2 if refused else int(not kept))
