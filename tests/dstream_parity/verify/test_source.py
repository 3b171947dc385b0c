"""What is verified of a notebook is what `migrate rewrite` reads in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dstream_parity.verify.child.sites import know_places, place
from dstream_parity.verify.child.source import compiled, is_moved, read_source
from dstream_parity.verify.coordinator.rewriting import rewritten
from dstream_parity.verify.errors import Refused
from migrator.text.opening import open_document
from tests.dstream_parity.verify.conftest import JOBS

TEXT = "'''\n%of the text\n! too\n'''"


def notebook(directory: Path, *cells: str, **more: Any) -> str:
    path = directory / "job.ipynb"
    code = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    path.write_text(json.dumps({"cells": code, **more}))
    return str(path)


def executed(file: str) -> dict[str, Any]:
    names: dict[str, Any] = {"get_ipython": lambda: "the shell"}
    exec(compiled(file), names)
    return names


@pytest.mark.parametrize(
    ("cell", "name", "value"),
    [
        ("%%time\nx = 1", "x", 1),
        ("%%bash\nx = 1", "x", None),
        ("%load_ext x\n!pip install \\\n  redis\nx = 1", "x", 1),
        ("%time x = 1", "x", None),
        ("if True:\n    %time x\n    x = 1", "x", 1),
        ("files = !ls", "files", 0),
        ("x = 1\nx?\nx.real??\n?x", "x", 1),
        (f"x = {TEXT}", "x", "\n%of the text\n! too\n"),
        ("x = (\n  7\n  %4)", "x", 3),
        ("x = get_ipython()", "x", "the shell"),
        ("cd /tmp\npip install redis\nx = 1", "x", 1),
    ],
)
def test_magics_are_hidden_as_migrate_rewrite_hides_them(
    tmp_path: Path, cell: str, name: str, value: Any
) -> None:
    file = notebook(tmp_path, "y = 2", cell)
    assert read_source(file).code == open_document(file, Path(file).read_bytes()).source.text
    assert executed(file).get(name) == value


def test_old_notebooks_keep_their_cells_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "job.ipynb"
    cells = [{"cell_type": "code", "input": "x = 1", "language": "python"}]
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert executed(str(path))["x"] == 1


def test_places_are_those_that_migrate_scan_names(tmp_path: Path) -> None:
    file = notebook(tmp_path, "x = 1\n", "%%html\n<b>\n", "", "y = 2\n\nz = 3")
    source = read_source(file)
    assert source.places == ((1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (4, 3))
    know_places(file, source.places)
    assert place(file, 6) == "job.ipynb:cell 4:3"


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["x = 1", "y = 2\nsecret = ("], r"job\.ipynb:cell 2:2 is not Python 3, and today"),
        (["x = 1", "y = 2\nreturn secret"], r"job\.ipynb:cell 2:2 is not Python 3, and today"),
        (["print 'secret'"], r"job\.ipynb is not Python 3, and today"),
    ],
)
def test_a_cell_that_cannot_be_run_is_named_without_its_text(
    tmp_path: Path, cells: list[str], sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence) as refused:
        compiled(notebook(tmp_path, *cells))
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "[1]", '{"metadata": {}}'])
def test_what_is_not_a_notebook_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "job.ipynb"
    path.write_text(content)
    with pytest.raises(Refused, match=r"job\.ipynb is not a notebook"):
        compiled(str(path))


def test_a_rewritten_notebook_is_seen_to_be_one(tmp_path: Path) -> None:
    line = "from dstream_compat import StreamingContext"
    assert is_moved(notebook(tmp_path, f"%%time\n{line}"))
    assert not is_moved(notebook(tmp_path, f"%%bash\n{line}"))
    assert not is_moved(str(JOBS / "word_count.py"))


def test_a_databricks_notebook_is_run_with_its_commands_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "job.py"
    head = "# Databricks notebook source\n# MAGIC %sql select 1\n# COMMAND ----------\n"
    path.write_text(f"{head}x = 1\n")
    assert executed(str(path))["x"] == 1
    path.write_text(f"{head}x = 1\n# COMMAND ----------\nSELECT secret\n")
    with pytest.raises(Refused, match=r"job\.py:6 is not Python 3") as refused:
        compiled(str(path))
    assert "secret" not in str(refused.value)


def test_what_runs_of_a_rewritten_notebook_is_what_was_rewritten(tmp_path: Path) -> None:
    cells = (
        "%load_ext autoreload\n!pip install redis",
        "%%time\nfrom pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)",
        f"text = {TEXT}\nfiles = !ls\nssc?",
    )
    file = notebook(tmp_path, *cells)
    made = rewritten(file, None, str(tmp_path / "made"))
    before, after = read_source(file), read_source(made.file)
    assert after.places == before.places
    assert str(after.code) == str(before.code).replace("pyspark.streaming", "dstream_compat")
    assert is_moved(made.file)
