"""Modules that have to be analysed together."""

from __future__ import annotations

import json

import pytest

from migrator.files.discovery import File
from migrator.files.groups import batches, bundles

STREAMS = "from pyspark.streaming import StreamingContext\n"


def grouped(files: dict[str, str]) -> list[list[str]]:
    made = bundles([File(path, text.encode()) for path, text in files.items()])
    return [[file.path for file in group] for group in made]


def test_files_without_a_hint_that_nobody_needs_are_left_out() -> None:
    assert grouped({"job.py": STREAMS, "other.py": "import os\n"}) == [["job.py"]]


def test_jobs_that_do_not_know_each_other_are_apart() -> None:
    assert grouped({"a.py": STREAMS, "b.py": STREAMS}) == [["a.py"], ["b.py"]]


def test_a_helper_without_a_hint_comes_along() -> None:
    files = {"job.py": f"{STREAMS}import helper\n", "helper.py": "import deeper\n", "deeper.py": ""}
    assert grouped(files) == [["deeper.py", "helper.py", "job.py"]]


def test_whoever_imports_a_module_with_streams_comes_along_with_what_it_hands_them_to() -> None:
    files = {
        "source.py": STREAMS,
        "main.py": "import source, sinks\nsinks.write(source.make())\n",
        "sinks.py": "def write(stream): stream.map(str)\n",
    }
    assert grouped(files) == [["main.py", "sinks.py", "source.py"]]


def test_a_helper_that_two_jobs_share_is_in_both_groups_and_does_not_join_them() -> None:
    files = {
        "a.py": f"{STREAMS}import config\n",
        "b.py": f"{STREAMS}import config\n",
        "config.py": "X = 1\n",
    }
    assert grouped(files) == [["a.py", "config.py"], ["b.py", "config.py"]]


def test_where_too_much_would_be_shared_everything_is_one_group() -> None:
    helpers = {f"helper{n}.py": f"import helper{n + 1}\n" for n in range(20)}
    jobs = {f"job{n}.py": f"{STREAMS}import helper0\n" for n in range(5)}
    assert [len(group) for group in grouped({**helpers, **jobs})] == [25]


@pytest.mark.parametrize(
    "line",
    [
        "import helpers.sinks",
        "import os, helpers.sinks as s",
        "from helpers import sinks",
        "from helpers.sinks import write",
        "from helpers import (\n    other,\n    sinks,\n)",
        "from .helpers import sinks",
        "from.helpers import sinks",
        "from . helpers import sinks",
        "from .helpers import(sinks)",
        "def f():\n    from helpers import sinks",
        "try: pass\nfinally: pass\nimport helpers.sinks; import os",
        "findspark.init(); from helpers.sinks import write",
        "try: from helpers.sinks import write\nexcept ImportError: pass",
        "from helpers.sinks \\\n    import write",
        "from helpers import other, \\\n    sinks",
        "import os\rimport helpers.sinks\rx = 1",
        'import_module("helpers.sinks")',
        "__import__('helpers.sinks')",
    ],
)
def test_imports_are_found_however_they_are_written(line: str) -> None:
    files = {"p/job.py": f"{STREAMS}{line}\n", "p/helpers/__init__.py": ""}
    (made,) = grouped({**files, "p/helpers/sinks.py": "", "p/unrelated.py": ""})
    assert "p/helpers/sinks.py" in made
    assert "p/unrelated.py" not in made


def test_the_packages_of_a_dotted_import_come_along() -> None:
    files = {"job.py": f"{STREAMS}import p.q.r\n", "p/__init__.py": "", "p/q/__init__.py": ""}
    assert grouped({**files, "p/q/r.py": ""}) == [
        ["job.py", "p/__init__.py", "p/q/__init__.py", "p/q/r.py"]
    ]


def test_a_package_that_is_not_named_is_found_by_its_dot() -> None:
    files = {"p/job.py": f"{STREAMS}from . import x\n", "p/__init__.py": "x = 1\n"}
    assert grouped(files) == [["p/__init__.py", "p/job.py"]]


@pytest.mark.parametrize("path", ["common", "./common", "./common.py", '"common.py"', "-i common"])
def test_what_a_notebook_runs_comes_along(path: str) -> None:
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": f"%run {path}\n{STREAMS}"}]})
    files = {"n/x.ipynb": notebook, "n/common.py": "", "common.py": ""}
    assert grouped(files) == [["n/common.py", "n/x.ipynb"]]


@pytest.mark.parametrize("path", ["../common", "../common.ipynb"])
def test_what_a_databricks_file_runs_comes_along(path: str) -> None:
    job = f"# Databricks notebook source\n{STREAMS}# COMMAND ----------\n# MAGIC %run {path}\n"
    assert grouped({"n/x.py": job, "common.ipynb": "{}"}) == [["common.ipynb", "n/x.py"]]


def test_relative_imports_are_seen_from_the_module_and_others_from_above_it() -> None:
    files = {
        "a/jobs/job.py": f"{STREAMS}from ..common import x\nfrom common import y\n",
        "a/common.py": "",
        "b/common.py": "",
        "a/jobs/other/common.py": "",
    }
    assert grouped(files) == [["a/common.py", "a/jobs/job.py"]]


def test_sources_below_src_are_found_from_outside() -> None:
    files = {"bin/job.py": f"{STREAMS}import package.tools\n", "src/package/tools.py": ""}
    assert grouped(files) == [["bin/job.py", "src/package/tools.py"]]


def test_lines_of_a_notebook_import_too() -> None:
    cell = f'{{"source": [\n "{STREAMS.strip()}\\n",\n "import helper\\n"]}}'
    assert grouped({"x.ipynb": cell, "helper.py": ""}) == [["helper.py", "x.ipynb"]]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("listed", [True, False])
def test_cells_import_however_the_json_is_laid_out(listed: bool, indent: int | None) -> None:
    code = f"{STREAMS}import os\nfrom helper \\\n    import x\n"
    cell = {"cell_type": "code", "source": code.splitlines(keepends=True) if listed else code}
    files = {"x.ipynb": json.dumps({"cells": [cell]}, indent=indent), "helper.py": ""}
    assert grouped(files) == [["helper.py", "x.ipynb"]]


def test_a_file_is_told_that_others_speak_of_it() -> None:
    texts = {"common.py": STREAMS, "a.py": 'exec(open("common.py").read())\n', "b.py": STREAMS}
    groups = bundles([File(path, text.encode()) for path, text in texts.items()])
    assert [(f.path, f.named_elsewhere) for group in groups for f in group] == [
        ("b.py", False),
        ("common.py", True),
    ]


def test_batches_share_the_work_and_keep_groups_whole() -> None:
    groups = [[File(f"{n}.py", b"x" * n)] for n in (1, 2, 3, 4, 5, 6)]
    dealt = batches(groups, 2)
    assert sorted(file.path for batch in dealt for group in batch for file in group) == [
        f"{n}.py" for n in (1, 2, 3, 4, 5, 6)
    ]
    sizes = [sum(len(file.raw) for group in batch for file in group) for batch in dealt]
    assert max(sizes) - min(sizes) <= 1


def test_there_are_no_more_batches_than_groups() -> None:
    assert len(batches([[File("a.py", b"")]], 8)) == 1
