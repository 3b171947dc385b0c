"""Faults in how users' functions are called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from dstream_compat.engine import evaluation as driver_side
from dstream_compat.stages import branches as stage
from dstream_compat.stages.chunks import dumps
from dstream_parity.engines import in_process as inprocess
from parity_tests.mutants.base import changed, mutant


@mutant("functions remember from one partition to the next")
def functions_remember() -> Any:
    return patch.object(stage.BranchRun, "next_partition", lambda self: None)


@mutant("an error ends a partition quietly")
def quiet_errors() -> Any:
    def swallowing(elements: Iterable[Any]) -> Iterator[tuple[int, bytes]]:
        part: list[Any] = []
        with suppress(Exception):
            part.extend(elements)
        if part:
            yield len(part), dumps(part)

    return patch.object(stage, "chunks", swallowing)


@mutant("an error is told with another text")
def other_error() -> Any:
    return changed(
        stage, "describe", lambda original: lambda error, path: original(error, path) + "."
    )


@mutant("a transform is told the time of the batch before")
def late_transform() -> Any:
    second = timedelta(seconds=1)
    return changed(
        driver_side, "to_datetime", lambda original: lambda tick: original(tick) - second
    )


@mutant("transformWith hands its RDDs over in the other order")
def transform_swapped() -> Any:
    original = driver_side.Evaluation._several

    def swapped(self: Any, nodes: tuple[Any, ...], fills: bool, otherwise: str = "") -> list[Any]:
        return original(self, nodes, fills, otherwise)[::-1]

    return patch.object(driver_side.Evaluation, "_several", swapped)


@mutant("what goes from one phase to the next loses its first partition")
def short_hand_over() -> Any:
    original = inprocess._packed
    return patch.object(inprocess, "_packed", lambda rdd: original(rdd)[1:])
