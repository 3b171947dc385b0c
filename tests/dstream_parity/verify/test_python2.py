"""Python 2 jobs are modernised, as `migrate rewrite --python2` does it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dstream_parity.verify.child.source import compiled
from dstream_parity.verify.coordinator.rewriting import original, rewritten
from dstream_parity.verify.errors import Refused
from migrator.cli import migrate
from tests.dstream_parity.verify.conftest import JOBS

PYTHON2 = JOBS / "python2_visits.py"


def test_a_python_3_job_is_taken_as_it_is(tmp_path: Path) -> None:
    made = original(str(JOBS / "lengths.py"), str(tmp_path / "made"))
    assert (made.file, made.modernised) == (str(JOBS / "lengths.py"), False)
    assert not (tmp_path / "made").exists()


def test_a_python_2_job_is_modernised_and_its_lines_are_those_of_the_original(
    tmp_path: Path,
) -> None:
    made = original(str(PYTHON2), str(tmp_path))
    assert made.modernised
    compiled(made.file)
    old, new = PYTHON2.read_text().splitlines(), Path(made.file).read_text().splitlines()
    assert len(new) > len(old)  # parameters are unpacked on a separate line
    assert len(made.places) == len(new)
    for text, (_, line) in zip(new, made.places, strict=True):
        if ".pprint()" in text or "ssc.start()" in text:
            assert old[line - 1].strip().rpartition(".")[2] == text.strip().rpartition(".")[2]


def test_the_rewritten_form_is_what_migrate_rewrite_python2_gives(tmp_path: Path) -> None:
    made = rewritten(str(PYTHON2), None, str(tmp_path / "made"), python2=True)
    target = tmp_path / "by_command.py"
    done = CliRunner().invoke(migrate, ["rewrite", "--python2", "-o", str(target), str(PYTHON2)])
    assert done.exit_code in (0, 1), done.output
    assert Path(made.file).read_bytes() == target.read_bytes()
    assert made.how == "python2_visits.py as `migrate rewrite --python2` rewrites it"


def test_places_where_python_3_may_mean_something_else_are_named(tmp_path: Path) -> None:
    (note,) = rewritten(str(PYTHON2), None, str(tmp_path), python2=True).notes
    division = (
        PYTHON2.read_text()
        .splitlines()
        .index("    averages = totals.mapValues(lambda (count, seconds): seconds / count)")
    )
    assert f"python2_visits.py:{division + 1} (DS701)" in note


def test_settings_of_migrate_rewrite_are_heeded(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.write_text("from pyspark.streaming import StreamingContext\nStreamingContext(sc, 1)\n")
    assert rewritten(str(job), None, str(tmp_path / "a")).file != str(job)
    (tmp_path / "pyproject.toml").write_text('[tool.migrate]\nexclude = ["job.py"]\n')
    assert rewritten(str(job), None, str(tmp_path / "b")).file == str(job)
    (tmp_path / "pyproject.toml").write_text("[tool.migrate]\nnonsense = 1\n")
    with pytest.raises(Refused, match=r"`migrate rewrite` cannot run: .*nonsense"):
        rewritten(str(job), None, str(tmp_path / "c"))


def test_a_notebook_in_python_2_is_modernised_too(tmp_path: Path) -> None:
    sources = [["%pylab\n"], ["def f((a, b)):\n", "    return a\n", "x = 1L"]]
    cells = [{"cell_type": "code", "source": source} for source in sources]
    notebook = tmp_path / "old.ipynb"
    notebook.write_text(json.dumps({"cells": cells}))
    made = original(str(notebook), str(tmp_path / "made"))
    assert made.modernised
    compiled(made.file)
    # the second cell gains a line: places are those of the user's notebook all the same
    assert made.places == ((1, 1), (2, 1), (2, 1), (2, 2), (2, 3))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("print 'old'\nsecret = (\n", r"job\.py:1 is neither Python 3 nor Python 2, and today"),
        ("x = 1\nreturn secret\n", r"job\.py:2 is not Python 3, and today's engines need Python 3"),
        ("secret = '\0'\n", r"job\.py(:1)? is neither Python 3 nor Python 2"),
    ],
)
def test_what_is_neither_gets_one_sentence_without_its_text(
    tmp_path: Path, text: str, sentence: str
) -> None:
    job = tmp_path / "job.py"
    job.write_text(text)
    with pytest.raises(Refused, match=sentence) as refused:
        original(str(job), str(tmp_path / "made"))
    assert "secret" not in str(refused.value)
