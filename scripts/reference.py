"""``python -m scripts.reference``: docs/cli.md and docs/api.md, from the code."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

DOCS = Path(__file__).resolve().parent.parent / "docs"
NOTE = "<!-- Made by `python -m scripts.reference`; a test says when it is out of date. -->"


def cli() -> str:
    """The page of the command line."""
    from migrator.cli import migrate

    lines = [
        "# Command line",
        "",
        NOTE,
        "",
        "`migrate` and `dstream-migrate` are the same; so is what `migrate COMMAND --help` prints.",
        "",
    ]
    context = click.Context(migrate, info_name="migrate")
    for name in migrate.list_commands(context):
        command = migrate.get_command(context, name)
        assert command is not None
        lines += _command(command, click.Context(command, info_name=name, parent=context))
    return "\n".join(lines).rstrip() + "\n"


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}"
    yield ""
    yield "```text"
    yield command.get_usage(context)
    yield "```"
    yield ""
    for text in (command.help, command.epilog):
        if text:
            yield inspect.cleandoc(text).replace("\b\n", "")
            yield ""
    records = [record for option in command.params if (record := option.get_help_record(context))]
    records = [(names, meaning) for names, meaning in records if meaning]
    if records:
        yield "| option | |"
        yield "|---|---|"
        for names, meaning in records:
            choices = names.replace("|", ", ")
            yield f"| `{choices}` | {' '.join(meaning.split())} |"
        yield ""


def api() -> str:
    """The page of the package: what a job imports, and what a test does."""
    lines = [
        "# API",
        "",
        NOTE,
        "",
        "What `dstream_compat` exports. Names and signatures are those of `pyspark.streaming`;",
        "[Operators](operators.md) says what is new.",
        "",
    ]
    package = importlib.import_module("dstream_compat")
    for name in sorted(package.__all__):
        lines += _class(name, getattr(package, name))
    testing = importlib.import_module("dstream_parity")
    lines += ["## dstream_parity", "", _prose(testing), ""]
    lines += ["| function | |", "|---|---|"]
    for place, name in _REPLAYS:
        function = getattr(importlib.import_module(place), name)
        lines.append(f"| `{place}.{name}{_signature(function)}` | {_prose(function)} |")
    return "\n".join(lines).rstrip() + "\n"


_REPLAYS = (
    ("dstream_parity", "difference"),
    ("dstream_parity.engines.legacy", "replay_legacy"),
    ("dstream_parity.engines.on_spark", "replay_on_spark"),
    ("dstream_parity.engines.in_process", "replay_in_process"),
    ("dstream_parity.verify.sampling.checking", "assert_equal"),
)


def _class(name: str, kind: Any) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield _prose(kind)
    yield ""
    if "__init__" in vars(kind) and name not in ("DStream", "State", "StateSpec"):
        yield f"`{name}{_signature(kind.__init__)}`"
        yield ""
    yield "| method | |"
    yield "|---|---|"
    for member, found in vars(kind).items():
        function = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        if member.startswith("_") or not (
            inspect.isfunction(function) or isinstance(found, property)
        ):
            continue
        signature = "" if isinstance(found, property) else _signature(function)
        yield f"| `{member}{signature}` | {_prose(found)} |"
    yield ""


def _signature(function: Any) -> str:
    """Names and defaults; types are in the code."""
    shown = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name not in ("self", "cls"):
            plain = parameter.replace(annotation=inspect.Parameter.empty)
            if parameter.default is not inspect.Parameter.empty and callable(parameter.default):
                text = f"{parameter.name}={parameter.default.__name__}"
            else:
                text = re.sub(r"<(\w+)[^>]*>", r"\1", str(plain))
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in shown:
                shown.append("*")
            shown.append(text)
    return f"({', '.join(shown)})"


def _prose(thing: Any) -> str:
    """A docstring without its examples, in the site's notation."""
    text = (inspect.getdoc(thing) or "").partition(">>>")[0].strip()
    text = text.replace("legacy: ", "As on the legacy engine: ")
    text = re.sub(r":\w+:`~?([\w.]+)`", lambda match: f"`{match[1].rpartition('.')[2]}`", text)
    return re.sub(r"\s*\n\s*", " ", text.replace("``", "`"))


PAGES = {"cli.md": cli, "api.md": api}


def main() -> int:
    for name, make in PAGES.items():
        (DOCS / name).write_text(make(), encoding="utf-8")
        print(DOCS / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
