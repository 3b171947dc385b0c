"""Jars from Maven Central, resolved once into the user's cache directory."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

_LIMIT = 600.0
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId><artifactId>tests</artifactId><version>1</version>
  <dependencies>{}</dependencies>
</project>
"""
_DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>"
    "<exclusions>{}</exclusions></dependency>"
)
_EXCLUSION = "<exclusion><groupId>{}</groupId><artifactId>{}</artifactId></exclusion>"


class NotResolved(Exception):
    """The jars are neither in the cache nor to be had."""


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "dstream-migrate" / "jars"


def cached(name: str) -> list[str]:
    """The jars resolved earlier under ``name``; none if they were not."""
    return sorted(map(str, (cache() / name).glob("*.jar")))


def resolve(name: str, coordinates: Sequence[str], without: Sequence[str] = ()) -> list[str]:
    """The jars of ``group:artifact:version`` and all they need, but for ``without``."""
    if found := cached(name):
        return found
    maven = shutil.which("mvn")
    if maven is None:
        raise NotResolved("mvn is not installed (apt-get install maven)")
    excluded = "".join(_EXCLUSION.format(*each.split(":")) for each in without)
    wanted = "".join(_DEPENDENCY.format(*each.split(":"), excluded) for each in coordinates)
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as folder:
        Path(folder, "pom.xml").write_text(_POM.format(wanted))
        command = [maven, "-B", "-q", "dependency:copy-dependencies", "-DincludeScope=runtime"]
        command.append(f"-DoutputDirectory={folder}/jars")
        try:
            ran = subprocess.run(
                command, cwd=folder, timeout=_LIMIT, capture_output=True, text=True, check=False
            )
        except subprocess.TimeoutExpired:
            raise NotResolved(f"mvn was not done after {_LIMIT:.0f} seconds") from None
        if ran.returncode:
            said = [line for line in ran.stdout.splitlines() if line.startswith("[ERROR]")]
            raise NotResolved(said[0] if said else f"mvn ended with {ran.returncode}")
        with contextlib.suppress(OSError):  # somebody else was faster
            os.rename(f"{folder}/jars", cache() / name)  # whole or not at all
    return cached(name)
