"""Files are written all at once or not at all, and can be brought back."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from migrator.files import writing
from migrator.files.writing import CannotWrite, create, is_current, originals, write

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def job(tmp_path: Path) -> Path:
    path = tmp_path / "job.py"
    path.write_bytes(b"old\n")
    return path


def test_the_new_bytes_are_there_and_nothing_else(job: Path) -> None:
    write(str(job), b"old\n", b"new\n")
    assert job.read_bytes() == b"new\n"
    assert os.listdir(job.parent) == ["job.py"]


@pytest.mark.parametrize("mode", [0o755, 0o640, 0o600])
def test_the_mode_stays(job: Path, mode: int) -> None:
    job.chmod(mode)
    write(str(job), b"old\n", b"new\n", backup=True)
    assert stat.S_IMODE(job.stat().st_mode) == mode
    (original,) = originals(str(job))
    assert stat.S_IMODE(os.stat(original.backup).st_mode) == mode


def test_links_are_followed_and_stay(job: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "link.py"
    link.parent.mkdir()
    link.symlink_to(job)
    write(str(link), b"old\n", b"new\n", backup=True)
    assert link.is_symlink()
    assert job.read_bytes() == b"new\n"
    (original,) = originals(str(link))
    assert original.path == str(job)


def test_a_file_changed_in_the_meantime_is_left_alone(job: Path) -> None:
    job.write_bytes(b"other\n")
    with pytest.raises(CannotWrite, match="changed by someone else"):
        write(str(job), b"old\n", b"new\n")
    assert job.read_bytes() == b"other\n"


def test_an_error_half_way_leaves_the_original_and_no_litter(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def failing(source: str, target: str) -> None:
        if str(target).endswith("job.py"):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(CannotWrite, match="No space left on device"):
        write(str(job), b"old\n", b"new\n", backup=True)
    assert job.read_bytes() == b"old\n"
    assert os.listdir(job.parent) == ["job.py"]


def test_being_interrupted_leaves_the_original_and_no_litter(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(str(job), b"old\n", b"new\n")
    assert job.read_bytes() == b"old\n"
    assert os.listdir(job.parent) == ["job.py"]


@pytest.mark.skipif(AS_ROOT, reason="root may write anywhere")
def test_a_read_only_directory_is_one_sentence(job: Path) -> None:
    job.parent.chmod(0o555)
    try:
        with pytest.raises(CannotWrite, match=r"its directory .* is read-only"):
            write(str(job), b"old\n", b"new\n")
    finally:
        job.parent.chmod(0o755)


def test_a_refused_directory_is_one_sentence(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**options: str) -> tuple[int, str]:
        raise PermissionError(13, "Permission denied")

    access = os.access
    monkeypatch.setattr("tempfile.mkstemp", refused)
    monkeypatch.setattr(
        os, "access", lambda path, mode: path != str(job.parent) and access(path, mode)
    )
    with pytest.raises(CannotWrite, match=f"its directory {job.parent} is read-only"):
        write(str(job), b"old\n", b"new\n")


def test_a_read_only_file_is_left_alone(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path != str(job) and access(path, mode))
    with pytest.raises(CannotWrite, match="is read-only"):
        write(str(job), b"old\n", b"new\n")


def test_a_new_file_gets_the_mode_of_its_model_and_its_directories(
    tmp_path: Path, job: Path
) -> None:
    job.chmod(0o750)
    create(str(tmp_path / "a" / "b" / "job.py"), b"new\n", str(job))
    assert (tmp_path / "a" / "b" / "job.py").read_bytes() == b"new\n"
    assert stat.S_IMODE((tmp_path / "a" / "b" / "job.py").stat().st_mode) == 0o750


def test_an_original_comes_back_once(job: Path) -> None:
    kept = write(str(job), b"old\n", b"new\n", backup=True)
    (original,) = originals(str(job.parent))
    assert (original.path, original.backup) == (str(job), kept)
    assert is_current(original)
    original.restore()
    assert job.read_bytes() == b"old\n"
    assert os.listdir(job.parent) == ["job.py"]


def test_a_file_that_was_edited_since_is_not_overwritten(job: Path) -> None:
    write(str(job), b"old\n", b"new\n", backup=True)
    job.write_bytes(b"new and mine\n")
    (original,) = originals(str(job))
    assert not is_current(original)
    with pytest.raises(CannotWrite, match="was changed after it was rewritten; its original is in"):
        original.restore()
    assert job.read_bytes() == b"new and mine\n"
    assert Path(original.backup).read_bytes() == b"old\n"


def test_backups_of_other_files_are_not_taken_for_ones_own(job: Path) -> None:
    (job.parent / "other.py.0123456789ab.orig").write_bytes(b"x")
    (job.parent / "job.py.orig").write_bytes(b"x")
    assert list(writing.originals(str(job))) == []
