"""`migrate record`: puts the file that records a job next to the job."""

from __future__ import annotations

import importlib.util
import os
import sys

import click

_FILE = "record.py"


@click.command("record", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("directory", type=click.Path(file_okay=False, exists=True))
@click.option("--force", is_flag=True, help="Write over a record.py that is there.")
def command(directory: str, force: bool) -> None:
    """Put record.py into DIRECTORY: one file, for old jobs, too, that records their batches.

    It runs on Python 2.7 and 3.5+ with Spark 2 and newer; its first lines say how to use it.
    """
    found = importlib.util.find_spec("dstream_compat")  # finds it without importing it
    assert found is not None
    assert found.submodule_search_locations
    source = os.path.join(found.submodule_search_locations[0], _FILE)
    target = os.path.join(directory, _FILE)
    if os.path.exists(target) and not force:
        click.echo(f"{target} is there already; --force writes over it.", err=True)
        sys.exit(2)
    with open(source, "rb") as file:
        content = file.read()
    draft = f"{target}.draft"
    with open(draft, "wb") as file:
        file.write(content)
    os.replace(draft, target)
    click.echo(f"{target}: its first lines say how to use it")
