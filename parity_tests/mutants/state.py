"""Faults in what is kept from batch to batch."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from dstream_compat.stages.operators import stateful
from dstream_compat.stages.operators.keyed import INITIAL
from dstream_compat.stages.state.hashed import HashedPages
from dstream_compat.stages.state.pages import OrderedPages
from dstream_compat.stages.state.store import Buffer, StateCell
from dstream_parity.engines import in_process as inprocess
from parity_tests.mutants.base import mutant


@mutant("keys without new values are not updated")
def idle_keys_sleep() -> Any:
    original = stateful.update_state

    def lazily(job: Any) -> Any:
        function = job.functions[0]
        woken = [lambda values, state: function(values, state) if values else state]
        return original(replace(job, functions=woken))

    return patch.dict(stateful._KEYED, {"updateState": lazily})


@mutant("a state that is false is removed")
def falsy_state_goes() -> Any:
    original = stateful.update_state

    def strict(job: Any) -> Any:
        function = job.functions[0]
        return original(
            replace(job, functions=[lambda values, state: function(values, state) or None])
        )

    return patch.dict(stateful._KEYED, {"updateState": strict})


@mutant("the values of a key come in another order")
def values_reversed() -> Any:
    original = stateful.update_state

    def reversed_values(job: Any) -> Any:
        function = job.functions[0]
        turned = [lambda values, state: function(values[::-1], state)]
        return original(replace(job, functions=turned))

    return patch.dict(stateful._KEYED, {"updateState": reversed_values})


@mutant("of several initial states of a key the last one counts")
def last_initial_state() -> Any:
    def take(job: Any, pages: OrderedPages) -> None:
        initial = dict(job.arrived(INITIAL))
        if initial:
            pages.rewrite(lambda page: page, lambda: initial)
            job.cell.buffer.keep()

    return patch.object(stateful, "_take_initial", take)


@mutant("the initial state is not looked at")
def no_initial_state() -> Any:
    return patch.object(stateful, "_take_initial", lambda job, pages: None)


@mutant("partitions share their state")
def shared_state() -> Any:
    original = StateCell.__init__
    return patch.object(
        StateCell, "__init__", lambda self, b, operator, part: original(self, b, operator, 0)
    )


@mutant("operators share their state")
def one_state_for_all() -> Any:
    original = StateCell.__init__
    return patch.object(
        StateCell, "__init__", lambda self, b, operator, part: original(self, b, 0, part)
    )


@mutant("state is not written")
def state_forgotten() -> Any:
    return patch.object(Buffer, "keep", lambda self: None)


@mutant("a removed state stays")
def removed_stays() -> Any:
    original = HashedPages.put

    def put(self: HashedPages, key: Any, item: Any, existed: bool) -> None:
        if item is not None:
            original(self, key, item, existed)

    return patch.object(HashedPages, "put", put)


@mutant("a state that grows is laid out again without its old keys")
def laid_out_again() -> Any:
    return patch.object(HashedPages, "_is_new", lambda self: self._turn == 0 and self._count == 1)


@mutant("a state times out one batch too early")
def early_time_out() -> Any:
    original = HashedPages.untouched_since
    return patch.object(
        HashedPages, "untouched_since", lambda self, moment: original(self, moment + 1)
    )


@mutant("time-outs are never looked for")
def no_time_outs() -> Any:
    return patch.object(HashedPages, "untouched_since", lambda self, moment: iter(()))


@mutant("state is lost at a restart")
def lost_at_restart() -> Any:
    original = inprocess._Run.restarted

    def empty(self: Any) -> Any:
        again = original(self)
        again._states.clear()
        return again

    return patch.object(inprocess._Run, "restarted", empty)


@mutant("a restart brings back older state")
def older_at_restart() -> Any:
    original = inprocess._Run.micro_batch

    @contextmanager
    def mutated() -> Iterator[None]:
        def remembering(self: Any, entries: Sequence[Any]) -> None:
            self._before = pickle.dumps(dict(self._states))
            original(self, entries)

        restart = inprocess._Run.restarted

        def older(self: Any) -> Any:
            again = restart(self)
            again._states.clear()
            again._states.update(pickle.loads(self._before))
            return again

        with (
            patch.object(inprocess._Run, "micro_batch", remembering),
            patch.object(inprocess._Run, "restarted", older),
        ):
            yield

    return mutated()
