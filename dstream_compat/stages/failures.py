"""Errors of user functions, as they travel from a worker to the code that asks for the result."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
_CONTEXT = "\nDuring handling of the above exception, another exception occurred:\n\n"
_LONGEST = 6000  # Spark runs a regular expression over error texts that overflows on long ones


class Failure(Exception):
    """A failed partition, with the text of the error on the worker."""


def describe(error: BaseException, path: Iterable[tuple[str, Any]]) -> str:
    """The traceback of ``error``, headed by the operator whose function raised it.

    ``path`` lists the operators along the way, as (site, function), starting at the source.
    """
    if isinstance(error, Failure):
        return str(error)
    sites = list(path)
    codes = _codes(error.__traceback__)
    guilty = [site for site, function in sites if _code(function) in codes]
    site = guilty[-1] if guilty else (sites[-1][0] if sites else "input")
    return f"in {site}:\n{shortened(_formatted(error))}"


def shortened(text: str) -> str:
    """The text of an error as it can be logged and sent: not too long, no lone surrogates."""
    if len(text) > _LONGEST:
        text = text[: _LONGEST // 2] + "\n  …\n" + text[-_LONGEST // 2 :]
    return text.rstrip("\n").encode("utf-8", "backslashreplace").decode("utf-8")


def unpicklable(error: BaseException, path: Iterable[tuple[str, Any]], dumps: Any) -> str:
    """Why functions cannot be pickled, in Spark's words, headed by the first one that cannot.

    ``path`` lists all of them, as (site, function); ``dumps`` is the call that failed.
    """
    site = ""
    for where, function in path:
        try:
            dumps(function)
        except BaseException as its_own:
            site, error = f"in {where}:\n", its_own
            break
    why = f"{type(error).__name__}: {error}"
    return shortened(f"{site}_pickle.PicklingError: Could not serialize object: {why}")


def _formatted(error: BaseException) -> str:
    """The traceback without the frames of this package, which tell a user nothing."""
    parts: list[str] = []
    summary: Any = traceback.TracebackException.from_exception(error)
    while summary is not None:
        theirs = [line for line in summary.stack if not line.filename.startswith(_PACKAGE)]
        stack = traceback.StackSummary.from_list(theirs)
        # format() omits the first line if no frame is left
        lines = ["Traceback (most recent call last):\n", *stack.format()]
        parts.insert(0, "".join([*lines, *summary.format_exception_only()]))
        if summary.__cause__ is not None:
            parts.insert(0, _CAUSE)
            summary = summary.__cause__
        elif summary.__context__ is not None and not summary.__suppress_context__:
            parts.insert(0, _CONTEXT)
            summary = summary.__context__
        else:
            summary = None
    return "".join(parts)


def _code(function: Callable[..., Any] | None) -> Any:
    return getattr(getattr(function, "__func__", function), "__code__", function)


def _codes(trace: TracebackType | None) -> set[Any]:
    codes = set()
    while trace is not None:
        codes.add(trace.tb_frame.f_code)
        trace = trace.tb_next
    return codes
