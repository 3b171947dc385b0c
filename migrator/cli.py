"""The command line: every module in :mod:`migrator.commands` is a command of `migrate`."""

from __future__ import annotations

import importlib
import pkgutil

import click

from migrator import __version__, commands


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="migrate")
def migrate() -> None:
    """Move PySpark DStream jobs to Structured Streaming."""


for _info in pkgutil.iter_modules(commands.__path__):
    if not _info.name.startswith("_"):
        migrate.add_command(importlib.import_module(f"{commands.__name__}.{_info.name}").command)


def main() -> None:
    """Entry point of the console scripts `migrate` and `dstream-migrate`."""
    migrate(prog_name="migrate")
