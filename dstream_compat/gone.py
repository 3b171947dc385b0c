"""Sources that nothing feeds any more: their names exist, and say what to do instead."""

from __future__ import annotations

from typing import Any, NoReturn

from dstream_compat.graph.nodes import call_site

RECIPE = (
    "Write a Receiver of a few lines that connects to where the data is now, and give it to "
    "ssc.receiverStream: docs/sources.md, section 'Sources that are gone', shows one"
)


class SourceIsGone(NotImplementedError):
    """The source of this stream no longer exists."""


def refuse(call: str, why: str, instead: str) -> NoReturn:
    """Raise what a job that calls a dead source gets."""
    raise SourceIsGone(f"{call_site(call)}: {why} {instead} {RECIPE}.")


def refusing(name: str, why: str, instead: str) -> Any:
    """A static method that refuses to be called."""

    def refused(*arguments: Any, **named: Any) -> NoReturn:
        refuse(name, why, instead)

    refused.__name__ = name
    return staticmethod(refused)
