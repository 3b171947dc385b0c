"""Which files a run is about."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from migrator.files.discovery import File, FileRole, NotFound, discover, excluded, role_of


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path: str, text: str = "") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def found(*paths: str, exclude: tuple[str, ...] = ()) -> list[str]:
    return [file.path for file in discover(paths, lambda path: excluded(path, exclude))]


def test_a_directory_gives_python_files_notebooks_scripts_and_what_lies_around(tree: Path) -> None:
    put("jobs/b.py")
    put("jobs/a.ipynb")
    put("jobs/bin/run", "#!/usr/bin/env python3\n")
    put("jobs/bin/tool", "#!/bin/sh\n")
    put("jobs/Dockerfile")
    put("jobs/submit.ps1")
    put("jobs/bin/binary", "\x7fELF")
    put("jobs/data.csv")
    put("jobs/README.md")
    assert [(file.path, file.role) for file in discover(["jobs"])] == [
        ("jobs/Dockerfile", FileRole.AROUND),
        ("jobs/a.ipynb", FileRole.JOB),
        ("jobs/b.py", FileRole.JOB),
        ("jobs/submit.ps1", FileRole.AROUND),
        ("jobs/bin/run", FileRole.JOB),
        ("jobs/bin/tool", FileRole.AROUND),
    ]


def test_a_file_that_is_named_is_taken_whatever_it_is_called(tree: Path) -> None:
    put("job.txt", "import os\n")
    (file,) = discover(["job.txt"])
    assert file == File("job.txt", b"import os\n", FileRole.JOB)


@pytest.mark.parametrize(
    "name", [".venv", "venv", "node_modules", ".git", "__pycache__", ".ipynb_checkpoints"]
)
def test_what_nobody_wrote_by_hand_is_left_out(tree: Path, name: str) -> None:
    put(f"jobs/{name}/lib/x.py")
    assert found("jobs") == []


def test_a_virtual_environment_is_known_by_its_configuration(tree: Path) -> None:
    put("jobs/my-env/pyvenv.cfg")
    put("jobs/my-env/lib/x.py")
    put("jobs/job.py")
    assert found("jobs") == ["jobs/job.py"]


def test_a_file_is_taken_once_however_it_is_reached(tree: Path) -> None:
    put("jobs/a.py")
    os.symlink("a.py", "jobs/b.py")
    assert found("jobs/a.py", "jobs", "./jobs/../jobs") == ["jobs/a.py"]


def test_links_to_directories_do_not_lead_in_circles(tree: Path) -> None:
    put("jobs/a.py")
    os.symlink("..", "jobs/up")
    assert found("jobs") == ["jobs/a.py"]


def test_a_path_that_is_not_there_is_named(tree: Path) -> None:
    with pytest.raises(NotFound, match=r"^jobs: no such file or directory$"):
        found("jobs")


def test_a_file_that_cannot_be_read_has_its_reason(tree: Path) -> None:
    os.symlink("nowhere.py", "job.py")
    put("jobs/a.py")
    os.symlink("nowhere.py", "jobs/b.py")
    good, broken = discover(["jobs"])
    assert (good.path, good.error) == ("jobs/a.py", None)
    assert (broken.path, broken.error) == ("jobs/b.py", "cannot be read: No such file or directory")


def test_pipes_and_locks_of_editors_are_no_files(tree: Path) -> None:
    put("jobs/a.py")
    os.mkfifo("jobs/pipe.py")
    os.symlink("me@host.1234", "jobs/.#a.py")
    assert found("jobs") == ["jobs/a.py"]


def test_a_directory_that_cannot_be_read_is_told(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("jobs/a.py")
    put("jobs/locked/b.py")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path.endswith("locked"):  # root may read everything
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    good, locked = discover(["jobs"])
    assert (good.path, good.error) == ("jobs/a.py", None)
    assert (locked.path, locked.error) == ("jobs/locked", "cannot be read: Permission denied")


def test_standard_input_is_a_file_called_dash() -> None:
    assert list(discover(["-"], stdin=b"x\n")) == [File("-", b"x\n")]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("old", ["jobs/a.py"]),
        ("jobs/old", ["jobs/a.py"]),
        ("jobs/old/", ["jobs/a.py"]),
        ("./jobs/old", ["jobs/a.py"]),
        ("jobs/*/b*.py", ["jobs/a.py"]),
        ("b.py", ["jobs/a.py"]),
        ("jobs", []),
        ("job", ["jobs/a.py", "jobs/old/b.py"]),
        ("bs/old", ["jobs/a.py", "jobs/old/b.py"]),
    ],
)
def test_a_pattern_excludes_paths_and_parts_of_them(
    tree: Path, pattern: str, left: list[str]
) -> None:
    put("jobs/a.py")
    put("jobs/old/b.py")
    assert found("jobs", exclude=(pattern,)) == left


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("job.py", FileRole.JOB),
        ("JOB.PY", FileRole.JOB),
        ("explore.ipynb", FileRole.JOB),
        ("submit.sh", FileRole.AROUND),
        ("Dockerfile", FileRole.AROUND),
        ("Dockerfile.prod", FileRole.AROUND),
        ("base.dockerfile", FileRole.AROUND),
        ("spark-defaults.conf", FileRole.AROUND),
        ("docker-compose.yml", FileRole.AROUND),
        ("requirements.txt", FileRole.AROUND),
        ("requirements-dev.txt", FileRole.AROUND),
        ("dev-requirements.txt", FileRole.AROUND),
        ("constraints.txt", FileRole.AROUND),
        ("Pipfile", FileRole.AROUND),
        ("pyproject.toml", FileRole.AROUND),
        ("setup.cfg", FileRole.AROUND),
        ("words.txt", None),
        ("README.md", None),
        ("job.scala", None),
    ],
)
def test_a_name_says_what_a_file_is(name: str, role: FileRole | None) -> None:
    assert role_of(f"somewhere/{name}") is role


@pytest.mark.parametrize(
    "text",
    [
        "from pyspark.streaming import StreamingContext",
        "from pyspark import (SparkContext,\n    streaming)",
        "import pyspark.streaming as pss",
        "importlib.import_module('pyspark.' + 'streaming')",
        "from dstream_compat import StreamingContext",
        "def build(ssc): return ssc",
        "stream.foreachRDD(save)",
        "KafkaUtils.createStream(a, b)",
        "PACKAGES = 'org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0'",
    ],
)
def test_a_file_that_may_have_to_do_with_dstreams_is_looked_into(text: str) -> None:
    assert File("job.py", text.encode()).hinted


@pytest.mark.parametrize(
    "text",
    [
        "import pandas as pd\nframe.transform(len)\n",
        "from pyspark.sql import SparkSession\nspark.range(3).show()\n",
        "rdd.map(str).filter(None).reduceByKey(add)\n",
        "",
    ],
)
def test_a_file_without_a_hint_is_not(text: str) -> None:
    assert not File("job.py", text.encode()).hinted
