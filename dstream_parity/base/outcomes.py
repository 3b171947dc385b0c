"""What an output operation was seen to do in one batch, whichever engine ran it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Seen:
    """The output was called with an RDD of these partitions."""

    partitions: tuple[tuple[Any, ...], ...]

    @property
    def elements(self) -> list[Any]:
        """All of them, one partition after the other."""
        return list(chain.from_iterable(self.partitions))


@dataclass(frozen=True)
class Raised:
    """Computing the output failed: the exception's type name, without its module, and its text."""

    type: str
    text: str


@dataclass(frozen=True)
class Missing:
    """The output was not called in this batch."""


@dataclass(frozen=True)
class Rerun:
    """After a restart the legacy engine ran this batch again, and it gave something else."""

    first: Seen | Raised | Missing
    again: Seen | Raised | Missing


Outcome: TypeAlias = Seen | Raised | Missing | Rerun
Outcomes: TypeAlias = list[list[Outcome]]
"""Indexed ``[output][tick]``."""

Batches: TypeAlias = list[list[list[list[Any]]]]
"""Indexed ``[tick][input][partition]``, each a list of elements."""

Build: TypeAlias = Callable[[Any, list[Any]], Sequence[Any]]
"""A pipeline: ``build(ssc, inputs)`` gives the DStreams to look at."""

Before: TypeAlias = Callable[[int], None]
"""Called before each tick, with its number, to change what functions see."""


def outputs_of(build: Build, ssc: Any, inputs: list[Any]) -> list[Any]:
    """The DStreams a pipeline gives, which must be some."""
    given = build(ssc, inputs)
    if not isinstance(given, Iterable):
        raise TypeError(
            "a pipeline returns a list of the streams to look at, as in `return [counts]`; "
            f"this one returned {'nothing' if given is None else type(given).__name__}"
        )
    if not (outputs := list(given)):
        raise ValueError("a pipeline returns the streams to look at; this one returned none")
    return outputs


_TRACEBACK = "Traceback (most recent call last):\n"
# The exception line is the first that is not indented; behind it Spark puts a state or its stack.
_PYTHON_ERROR = re.compile(r"^(\S[^\n:]*)(?::\s?(.*?))?\s*(?=^ SQLSTATE: |^\tat |\Z)", re.M | re.S)
_JAVA_ERROR = re.compile(r"^: ([\w.$]+)(?:: (.*))?$", re.M)


def raised(error: BaseException) -> Raised:
    """The user's view of ``error``: what Python raised, however deep in a Java error it is buried.

    >>> raised(ValueError("boom"))
    Raised(type='ValueError', text='boom')
    """
    text = str(error)
    _, found, tail = text.rpartition(_TRACEBACK)
    if found and (match := _PYTHON_ERROR.search(tail)):
        text = match[2] or ""
        if not _JAVA_ERROR.search(text):
            return Raised(_last_name(match[1]), text)
    if match := _JAVA_ERROR.search(text):
        return Raised(_last_name(match[1]), match[2] or "")
    return Raised(type(error).__name__, text)


def _last_name(qualified: str) -> str:
    return re.split(r"[.$]", qualified)[-1]
