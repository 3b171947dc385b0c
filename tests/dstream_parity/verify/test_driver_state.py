"""Which bodies change what other functions read."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pyspark
import pytest

from dstream_parity.verify.child.driver_state import conflicts
from dstream_parity.verify.child.patches.job_patches import _may_see_the_driver
from dstream_parity.verify.child.source import compiled

driver_state_settings = ModuleType("settings")
totals: dict[str, int] = {}
threshold = 3
unrelated: list[int] = []


class Model:
    def __init__(self) -> None:
        self.weights = [0]
        self.name = "model"

    def update(self, rdd: Any) -> None:
        self.weights = rdd.collect()

    def score(self, element: Any) -> Any:
        return self.weights[0] + element

    def label(self, element: Any) -> Any:
        return self.name, element


model = Model()


def add_up(rdd: Any) -> None:
    for word in rdd.collect():
        totals[word] = totals.get(word, 0) + 1


def raise_threshold(rdd: Any) -> None:
    global threshold
    threshold = rdd.count()


def append(rdd: Any) -> None:
    unrelated.append(rdd.count())


def calls_add_up(time: Any, rdd: Any) -> None:
    add_up(rdd)


def set_state(rdd: Any) -> None:
    driver_state_settings.limit = rdd.count()  # type: ignore[attr-defined]


def singleton(rdd: Any) -> None:
    globals()["instance"] = rdd.context


def only_local(rdd: Any) -> None:
    totals = {}
    totals["x"] = rdd.count()


def shared() -> tuple[Any, Any]:
    latest = None

    def keep(rdd: Any) -> None:
        nonlocal latest
        latest = rdd.first()

    return keep, lambda element: (element, latest)


KEEP, WITH_LATEST = shared()


def count_into(counts: dict[str, int], rdd: Any) -> None:
    counts["all"] = rdd.count()


def with_default(rdd: Any, seen: dict[str, int] = totals) -> None:
    seen["all"] = rdd.count()


other = Model()


class Scorer:
    def __init__(self) -> None:
        self.known = totals

    def __call__(self, word: str) -> int | None:
        return self.known.get(word)


@pytest.mark.parametrize(
    ("body", "reader", "name"),
    [
        (add_up, lambda word: totals.get(word), "totals"),
        (calls_add_up, lambda word: word in totals, "totals"),
        (raise_threshold, lambda n: n > threshold, "threshold"),
        (model.update, model.score, "self.weights"),
        (model.update, lambda element: model.score(element), "self.weights"),
        (lambda rdd: model.update(rdd), lambda element: model.weights, "model"),
        (KEEP, WITH_LATEST, "latest"),
        (functools.partial(add_up), lambda word: totals[word], "totals"),
        (lambda rdd: count_into(totals, rdd), lambda word: totals[word], "counts"),
        (functools.partial(count_into, totals), lambda word: totals[word], "counts"),
        (with_default, lambda word: totals[word], "seen"),
        (add_up, lambda word, seen=totals: seen[word], "totals"),
        (add_up, functools.partial(dict.get, totals), "totals"),
        (add_up, totals.get, "totals"),
        (add_up, Scorer(), "totals"),
        (lambda rdd: (model.update(rdd), other.update(rdd)), other.score, "self.weights"),
        (set_state, lambda word: driver_state_settings.limit, "driver_state_settings.limit"),
        (singleton, lambda rdd: instance, "instance"),  # type: ignore[name-defined]  # noqa: F821
    ],
)
def test_a_body_that_changes_what_a_function_reads_is_named(
    body: Any, reader: Any, name: str
) -> None:
    assert conflicts([("foreachRDD at job.py:2", body)], [("map at job.py:1", reader)]) == [
        f"the body of foreachRDD at job.py:2 changes {name}, which the function of map at job.py:1 "
        "reads"
    ]


@pytest.mark.parametrize(
    ("body", "reader"),
    [
        (append, lambda word: totals.get(word)),
        (only_local, lambda word: totals.get(word)),
        (model.update, model.label),
        (lambda rdd: rdd.collect(), lambda word: totals.get(word)),
        (lambda rdd: print(totals), lambda word: totals.get(word)),
        (add_up, len),
        (singleton, lambda word: totals.get(word)),
        (lambda rdd: model.update(rdd), other.score),
        (lambda rdd: count_into({}, rdd), lambda word: totals[word]),
    ],
)
def test_other_bodies_are_no_matter(body: Any, reader: Any) -> None:
    assert conflicts([("foreachRDD at job.py:2", body)], [("map at job.py:1", reader)]) == []


def test_functions_of_notebooks_are_read_from_their_cells(tmp_path: Path) -> None:
    cells = [
        ["%matplotlib inline\n", "seen = {}"],
        ["def keep(rdd):\n", "    seen['n'] = rdd.count()\n", "look = lambda word: seen[word]"],
    ]
    notebook = tmp_path / "job.ipynb"
    notebook.write_text(
        json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]})
    )
    names: dict[str, Any] = {}
    exec(compiled(str(notebook)), names)
    assert len(conflicts([("foreachRDD", names["keep"])], [("map", names["look"])])) == 1


def test_models_that_spark_trains_for_the_job_are_looked_at() -> None:
    assert _may_see_the_driver(str(Path(pyspark.__file__).parent / "mllib" / "clustering.py"))
    assert not _may_see_the_driver(str(Path(pyspark.__file__).parent / "streaming" / "dstream.py"))
