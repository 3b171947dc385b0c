"""The pytest plugin, in projects of its own: the one in the documentation, and ones that fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import strategies as st

from dstream_parity import Batches, parity
from dstream_parity.plugin import Parity

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "parity.md").read_text(encoding="utf-8")


def block(first_line: str) -> str:
    """The code block of the guide that begins with this line."""
    for text in re.findall(r"```\w+\n(.*?)```", GUIDE, flags=re.S):
        if text.startswith(first_line + "\n"):
            return str(text)
    raise LookupError(first_line)


def pytest_in(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """pytest as a user would run it: no configuration of ours, hashes at random."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))}
    environment.pop("PYTHONHASHSEED", None)
    # this project's workers are hurried up by a module that users do not have
    environment["PYSPARK_PYTHON"] = sys.executable
    environment.pop("PYTHONPATH", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
    )


DIFFERENT = """
def by_engine(ssc, inputs):
    legacy = type(ssc).__module__.startswith("pyspark")
    return [inputs[0].map(lambda x: float(x) if legacy else x)]


def test_engines_that_differ(parity):
    parity(by_engine, [[[[1, 2]]], [[]]], repeat=False)
"""


def test_the_project_in_the_guide_passes_and_a_difference_is_shown(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(block("# job.py"), encoding="utf-8")
    (tmp_path / "test_parity.py").write_text(block("# test_parity.py"), encoding="utf-8")
    (tmp_path / "test_different.py").write_text(DIFFERENT, encoding="utf-8")
    (command,) = re.findall(r"run: python -m pytest (.*)", block("# .github/workflows/parity.yml"))
    # as the workflow runs it, but for the number of examples: the last one counts
    result = pytest_in(tmp_path, *command.split(), "--parity-examples", "1", "-rf")
    assert "1 failed, 3 passed" in result.stdout, result.stdout + result.stderr
    assert "output 0, tick 0: the elements differ" in result.stdout
    assert re.search(r"legacy only: (1|2)\.0\n", result.stdout)
    assert "def by_engine(ssc, inputs):" in result.stdout
    assert result.returncode == 1


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_random_example_has_all_ticks_and_elements(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Batches] = []
    monkeypatch.setattr(parity, "assert_parity_on", lambda build, given, **_: drawn.extend(given))
    fixture = Parity(sc=None, examples=count, hide_values=False)  # type: ignore[arg-type]
    fixture.random(lambda ssc, inputs: inputs, st.integers(), inputs=2, ticks=4)
    assert [len(batches) for batches in drawn] == [4] * count
    assert all(sum(len(part) for t in b for rdd in t for part in rdd) for b in drawn)


def test_a_few_batches_of_ones_own_are_all_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Batches] = []
    monkeypatch.setattr(parity, "assert_parity_on", lambda build, given, **_: drawn.extend(given))
    fixture = Parity(sc=None, examples=5, hide_values=False)  # type: ignore[arg-type]
    own: list[Batches] = [[[[]]], [[[[1]]]]]
    fixture.random(lambda ssc, inputs: inputs, batches=st.sampled_from(own))
    assert sorted(drawn) == own


WITHOUT = """
import sys
sys.modules["pyspark"] = None
"""


def test_pytest_works_as_ever_where_there_is_no_pyspark(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(WITHOUT, encoding="utf-8")
    test = (
        "import sys\n\ndef test_other_things():\n"
        "    assert 'dstream_parity.plugin' in sys.modules\n\n"
        "def test_this(parity): pass\n"
    )
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    result = pytest_in(tmp_path)
    assert "1 passed, 1 error" in result.stdout, result.stdout + result.stderr
    assert "the parity fixture needs pyspark and Java 17" in result.stdout
    assert "Traceback" not in result.stdout


def test_loading_the_plugin_imports_neither_spark_nor_hypothesis() -> None:
    code = (
        "import sys, dstream_parity.plugin\n"
        "print([m for m in ('pyspark', 'hypothesis', 'pyarrow') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert result.stdout.strip() == "[]"


def test_without_hypothesis_the_strategies_say_what_to_install() -> None:
    code = "import sys; sys.modules['hypothesis'] = None\nimport dstream_parity.strategies"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert "dstream_parity.strategies needs Hypothesis: pip install hypothesis" in (result.stderr)


def test_the_options_are_in_the_help(tmp_path: Path) -> None:
    said = pytest_in(tmp_path, "--help").stdout
    assert "--parity-examples=N" in said
    assert "--parity-hide-values" in said


def test_a_number_of_examples_that_is_none_is_refused_in_a_sentence(tmp_path: Path) -> None:
    result = pytest_in(tmp_path, "--parity-examples", "0")
    assert result.returncode == 4
    assert "argument --parity-examples: must be a number, at least 1, not '0'" in result.stderr
