"""`migrate record`: puts the file that records a job next to the job."""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import NoReturn

import click

from migrator.files.writing import CannotWrite, create

_FILE = "record.py"


@click.command("record", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("directory", type=click.Path(file_okay=False, exists=True))
@click.option("--force", is_flag=True, help="Overwrite an existing record.py.")
def command(directory: str, force: bool) -> None:
    """Copy record.py, which records a job's batches, into DIRECTORY.

    It is a single file that runs on Python 2.7 and 3.5+ with Spark 2 and newer. Its first lines
    explain how to use it.
    """
    found = importlib.util.find_spec("dstream_compat")  # finds it without importing it
    assert found is not None
    assert found.submodule_search_locations
    with open(os.path.join(found.submodule_search_locations[0], _FILE), "rb") as file:
        content = file.read()
    target = os.path.join(directory, _FILE)
    if os.path.exists(target) and not force:
        _fail(f"{target} already exists; use --force to overwrite it.")
    try:
        create(target, content)
    except CannotWrite as error:
        _fail(f"{target} {error}")
    click.echo(f"{target}: its first lines explain how to use it")


def _fail(sentence: str) -> NoReturn:
    click.echo(sentence, err=True)
    sys.exit(2)
