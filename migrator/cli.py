"""The command line: every module in :mod:`migrator.commands` is a command of `migrate`."""

from __future__ import annotations

import importlib
import io
import pkgutil
import sys

import click

from migrator import __version__, commands


class _Commands(click.Group):
    """Each command is imported when it is used, so that an early interrupt shows no traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        found = (info.name for info in pkgutil.iter_modules(commands.__path__))
        return sorted(name for name in found if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = importlib.import_module(f"{commands.__name__}.{cmd_name}")
        command: click.Command = module.command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="migrate")
def migrate() -> None:
    """Move PySpark DStream jobs to Structured Streaming."""


def main() -> None:
    """Entry point of the console scripts `migrate` and `dstream-migrate`."""
    for stream in (sys.stdout, sys.stderr):  # latin-1, say, has no arrows: better ? than no report
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    migrate(prog_name="migrate")
