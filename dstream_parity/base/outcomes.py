"""What an output operation was seen to do in one batch, whichever engine ran it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Seen:
    """The output was called with an RDD that had these partitions."""

    partitions: tuple[tuple[Any, ...], ...]

    @property
    def elements(self) -> list[Any]:
        """All of them, one partition after the other."""
        return list(chain.from_iterable(self.partitions))


@dataclass(frozen=True)
class Raised:
    """Computing the output failed: the type of the exception, without its module, and its text."""

    type: str
    text: str


@dataclass(frozen=True)
class Missing:
    """The output was not called in this batch."""


@dataclass(frozen=True)
class Rerun:
    """The legacy engine ran this batch again after a restart, with a different outcome."""

    first: Seen | Raised | Missing
    again: Seen | Raised | Missing


Outcome: TypeAlias = Seen | Raised | Missing | Rerun
Outcomes: TypeAlias = list[list[Outcome]]
"""Indexed ``[output][tick]``."""

Batches: TypeAlias = list[list[list[list[Any]]]]
"""Indexed ``[tick][input][partition]``, each a list of elements."""

Build: TypeAlias = Callable[[Any, list[Any]], Sequence[Any]]
"""A pipeline: ``build(ssc, inputs)`` returns the DStreams to compare."""

Before: TypeAlias = Callable[[int], None]
"""Called with the number of each tick before it runs, to change what functions see."""


def outputs_of(build: Build, ssc: Any, inputs: list[Any]) -> list[Any]:
    """The DStreams a pipeline returns; at least one."""
    given = build(ssc, inputs)
    if not isinstance(given, Iterable):
        raise TypeError(
            "a pipeline must return a list of the streams to compare, as in `return [counts]`; "
            f"this one returned {'nothing' if given is None else type(given).__name__}"
        )
    if not (outputs := list(given)):
        raise ValueError(
            "a pipeline must return the streams to compare; this one returned an empty list"
        )
    return outputs


_TRACEBACK = "Traceback (most recent call last):\n"
# The exception is on the first line that is not indented; Spark adds a SQLSTATE or its own stack.
_PYTHON_ERROR = re.compile(r"^(\S[^\n:]*)(?::\s?(.*?))?\s*(?=^ SQLSTATE: |^\tat |\Z)", re.M | re.S)
_JAVA_ERROR = re.compile(r"^: ([\w.$]+)(?:: (.*))?$", re.M)


def raised(error: BaseException) -> Raised:
    """What Python raised, however deep ``error`` has it buried in a Java error.

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
