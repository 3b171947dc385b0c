"""Diffs that git takes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from migrator.files.diffs import named, unified

LINES = st.lists(
    st.sampled_from([b"a", b"b", b"c\r", b"", b"\x0c", b" x", b"-y", b"\\ z"]), max_size=12
)


def git(directory: Path, *arguments: str, given: bytes | None = None) -> None:
    done = subprocess.run(["git", *arguments], cwd=directory, input=given, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def applied(directory: Path, name: str, before: bytes, after: bytes) -> bytes:
    file = directory / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before)
    git(directory, "apply", "--whitespace=nowarn", given=unified(name, before, after))
    return file.read_bytes()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", "false")
    return tmp_path


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a\nb", b"a\nB"),
        (b"a\nb", b"a\nb\n"),
        (b"a\nb\n", b"a\nb"),
        (b"a\r\nb", b"A\r\nb"),
        (b"a\rb\rc", b"a\rB\rc"),
        (b"x = '\xe9'\n", b"y = '\xe9'\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        (b"a\n\x0c\nb\n", b"a\n\x0c\nB\n"),
        (b"a\n" * 50 + b"b\n" + b"a\n" * 50 + b"c", b"a\n" * 50 + b"B\n" + b"a\n" * 50 + b"C"),
    ],
)
def test_git_applies_them_byte_by_byte(repository: Path, before: bytes, after: bytes) -> None:
    assert applied(repository, "job.py", before, after) == after


@pytest.mark.parametrize(
    "name", ["a b/job x.py", "größe.py", 'quo"te.py', "tab\there.py", "back\\slash.py"]
)
def test_names_are_written_as_git_reads_them(repository: Path, name: str) -> None:
    assert applied(repository, name, b"a\n", b"b\n") == b"b\n"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(LINES, LINES, st.booleans(), st.booleans())
def test_any_two_versions(
    repository: Path, old: list[bytes], new: list[bytes], old_end: bool, new_end: bool
) -> None:
    before, after = b"start\n" + b"\n".join(old), b"start\n" + b"\n".join(new)
    before, after = before + b"\n" * old_end, after + b"\n" * new_end
    if before != after:
        assert applied(repository, "job.py", before, after) == after


def test_nothing_is_printed_where_nothing_differs() -> None:
    assert unified("job.py", b"a", b"a") == b""


def test_paths_are_named_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert named("./x/../job.py") == "job.py"
    assert named(str(tmp_path / "x" / "job.py")) == "x/job.py"
    assert named(str(tmp_path.parent / "job.py")) == str(tmp_path.parent / "job.py").lstrip("/")
    assert named("-") == "stdin"
