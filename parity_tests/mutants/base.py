"""Faults put in on purpose, one at a time: a harness that lets one pass proves nothing.

Each mutant is a context manager that breaks one thing of the engine in this process, small enough
to be a slip in an ordinary change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from dstream_compat.stages import branches as stage
from dstream_compat.stages.operators.narrow import NARROW

Mutant = Callable[[], AbstractContextManager[Any]]
MUTANTS: dict[str, Mutant] = {}


def mutant(name: str) -> Callable[[Callable[[], Any]], Mutant]:
    def add(make: Callable[[], Any]) -> Mutant:
        MUTANTS[name] = make
        return make

    return add


def changed(target: Any, name: str, change: Callable[[Any], Any]) -> Any:
    """Replace something by what ``change`` makes of it."""
    return patch.object(target, name, change(getattr(target, name)))


def narrowing(kind: str, change: Callable[[Any, int, Iterator[Any]], Iterable[Any]]) -> Any:
    return patch.dict(NARROW, {kind: change})


def emitting(change: Callable[[list[Any]], list[Any]]) -> Any:
    """Change what partitions of outputs are made of."""
    return changed(stage, "chunks", lambda chunks: lambda xs: chunks(change(list(xs))))
