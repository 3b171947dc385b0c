"""scripts/java.sh: a missing or too old Java is one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "java.sh"
BASH = shutil.which("bash") or "bash"
ADVICE = ": install one (for example openjdk-17-jre-headless) or point JAVA_HOME to one.\n"


def looked_for(tmp_path: Path, version: str | None, home: bool) -> tuple[int, str, str]:
    """Exit code and output of the script where Java is ``version``, on PATH or in JAVA_HOME."""
    path, java_home = tmp_path / "path", tmp_path / "jdk"
    path.mkdir()
    for tool in ("bash", "dirname", "head", "id", "sed"):  # and nothing that could install one
        os.symlink(str(shutil.which(tool)), path / tool)
    folder = java_home / "bin" if home else path
    folder.mkdir(parents=True, exist_ok=True)
    if version is not None:
        java = folder / "java"
        java.write_text(f"#!{BASH}\necho 'openjdk version \"{version}\" 2024-01-16' >&2\n")
        java.chmod(0o755)
    env = {"PATH": str(path), **({"JAVA_HOME": str(java_home)} if home else {})}
    done = subprocess.run([BASH, str(SCRIPT)], env=env, capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("home", [False, True])
@pytest.mark.parametrize("version", [None, "11.0.22", "1.8.0_402"])
def test_a_missing_or_too_old_java_is_one_sentence(
    version: str | None, home: bool, tmp_path: Path
) -> None:
    where = f"JAVA_HOME ({tmp_path / 'jdk'})" if home else "PATH"
    said = f"Spark needs Java 17 or newer and there is none in {where}{ADVICE}"
    assert looked_for(tmp_path, version, home) == (1, "", said)


@pytest.mark.parametrize("home", [False, True])
@pytest.mark.parametrize("version", ["17.0.15", "21.0.2", "25"])
def test_java_17_and_newer_will_do_without_a_word(version: str, home: bool, tmp_path: Path) -> None:
    assert looked_for(tmp_path, version, home) == (0, "", "")
