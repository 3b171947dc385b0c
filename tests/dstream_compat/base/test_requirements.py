"""What is not installed, or too old, is said in a sentence. No Spark in here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

import dstream_compat
from dstream_compat.base import requirements

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("version", ["2.4.8", "3.5.1", "4.1.0", "4.1.0.dev4"])
def test_an_old_spark_is_refused_by_its_number(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    with pytest.raises(ImportError, match=f"needs pyspark 4.2 or later, this is {version}"):
        dstream_compat.StreamingContext  # noqa: B018


@pytest.mark.parametrize("version", ["4.2.0", "4.3.1.dev0", "4.10.0", "5.0.0"])
def test_later_ones_are_not(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(pyspark, "__version__", version)
    requirements.check_pyspark()


@pytest.mark.parametrize("name", ["pyarrow", "pandas", "protobuf"])
def test_a_library_that_is_missing_is_named_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(requirements, "_is_there", lambda module: name not in module)
    with pytest.raises(ImportError, match=f"needs {name}, which is not installed: pip install"):
        requirements.check_libraries(state=True)


def test_only_state_needs_protobuf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "_is_there", lambda module: "protobuf" not in module)
    requirements.check_libraries(state=False)


def test_a_package_that_is_not_there_has_no_modules() -> None:
    assert requirements._is_there("google.protobuf")
    assert not requirements._is_there("no_such_package.module")


def test_the_working_directory_is_not_on_the_path_of_a_job(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "job.py").write_text("import sys; print(*sys.path, sep='\\n')\n")
    ended = subprocess.run(
        [sys.executable, "-m", "dstream_compat", "jobs/job.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    path = ended.stdout.splitlines()
    assert path[0] == str(tmp_path / "jobs")
    assert not {"", str(tmp_path)} & set(path)  # a pandas.py in there would be taken for pandas


def test_a_job_on_an_old_spark_gets_one_line_and_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").write_text('__version__ = "3.5.1"\n')
    (tmp_path / "job.py").write_text("from pyspark.streaming import StreamingContext\n")
    ended = subprocess.run(
        [sys.executable, "-m", "dstream_compat", "job.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "this is 3.5.1" in ended.stderr
