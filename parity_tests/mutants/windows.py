"""Faults in operators that look back a fixed time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from dstream_compat.stages.operators import windows
from dstream_compat.stages.state.ticks import TickLog
from parity_tests.mutants.base import mutant


@mutant("a window is one batch too long")
def window_too_long() -> Any:
    original = TickLog.notes
    return patch.object(
        TickLog, "notes", lambda self, after, until: original(self, after - 1, until)
    )


@mutant("a window is one batch too short")
def window_too_short() -> Any:
    original = TickLog.notes
    return patch.object(
        TickLog, "notes", lambda self, after, until: original(self, after + 1000, until)
    )


@mutant("a window forgets a batch too early")
def window_forgets() -> Any:
    original = TickLog.drop
    return patch.object(TickLog, "drop", lambda self, until: original(self, until + 1000))


@mutant("a window has its newest batch first")
def window_newest_first() -> Any:
    original = TickLog.notes
    return patch.object(
        TickLog, "notes", lambda self, after, until: original(self, after, until)[::-1]
    )


def sliding(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Any:
    original = windows._slide

    def changed(job: Any, *rest: Any) -> None:
        original(replace(job, functions=change(tuple(job.functions))), *rest)

    return patch.object(windows, "_slide", changed)


@mutant("the inverse function is never called")
def no_inverse() -> Any:
    return sliding(lambda fs: (fs[0], lambda a, b: a, *fs[2:]))


@mutant("the arguments of the inverse function change places")
def inverse_swapped() -> Any:
    return sliding(lambda fs: (fs[0], lambda a, b: fs[1](b, a), *fs[2:]))


@mutant("the filter of a window is not asked")
def window_unfiltered() -> Any:
    return sliding(lambda fs: fs[:2])


@mutant("keys that have nothing left in a window go")
def zero_keys_go() -> Any:
    def keep(pair: Any) -> bool:
        return bool(pair[1])

    return sliding(lambda fs: (*fs[:2], keep))
