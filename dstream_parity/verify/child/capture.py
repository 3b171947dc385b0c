"""The functions that take the place of the job's output functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dstream_parity import Missing, Raised, Seen, raised
from dstream_parity.verify.child import actions
from dstream_parity.verify.child.facets import ERROR, RDD, TEXT, TIME, Facet

Body = Callable[..., Any]


def captured(number: int, body: Body | None) -> Callable[[Any, Any], None]:
    """What is registered in place of output ``number``.

    It holds the body even if that does not run: with a checkpoint directory both engines pickle it
    at start, and a body that cannot be pickled must fail there as always.
    """

    def capture(moment: Any, rdd: Any) -> None:
        from dstream_parity.verify.child import (
            run,  # by name, because the run itself cannot be pickled
        )

        run.current().captured(number, body, moment, rdd)

    return capture


def with_time(function: Body) -> Body:
    """legacy: called with the RDD alone if it takes one argument, else with time and RDD."""
    if function.__code__.co_argcount == 1:
        return lambda moment, rdd: function(rdd)
    return function


def look_at(body: Body | None, moment: Any, rdd: Any) -> list[Facet]:
    """The facets of one call of an output; runs ``body`` if there is one."""
    facets: list[Facet] = []
    if body is not None:
        error: Raised | Missing = Missing()
        with actions.printed() as text, actions.watching() as facets:
            try:
                body(moment, rdd)
            except BaseException as problem:  # legacy: SystemExit is just a failed job, too
                error = raised(problem)
        lines = tuple(text.getvalue().splitlines())
        facets = [*facets, Facet(TEXT, Seen((lines,)), ordered=True), Facet(ERROR, error)]
    return [Facet(RDD, _elements(rdd)), Facet(TIME, Seen(((moment,),))), *facets]


def _elements(rdd: Any) -> Seen | Raised:
    try:
        return Seen(tuple(tuple(partition) for partition in rdd.glom().collect()))
    except BaseException as error:
        return raised(error)
