"""What lies around jobs: scripts, images, requirements, settings. Only looked at, never changed."""

from __future__ import annotations

from migrator import rules
from migrator.core import Finding, by_place
from migrator.files.discovery import File
from migrator.run.config import Config, ignored, unwanted
from migrator.text.source import PythonSource


def look(file: File, config: Config) -> tuple[tuple[Finding, ...], int]:
    """The findings in a file, and the number of those that its comments ask not to be told."""
    if not file.hinted:
        return (), 0
    source = read(file.path, file.raw)
    found = [finding for finding in rules.text_findings(source) if config.keeps(finding)]
    lines = unwanted(source, python=False)
    kept = [finding for finding in found if not lines or not ignored(finding, lines)]
    return tuple(by_place(kept)), len(found) - len(kept)


def read(path: str, raw: bytes) -> PythonSource:
    """Any text file as a source; bytes that are not UTF-8 are read as Latin-1."""
    try:
        return PythonSource(path, raw, "utf-8", raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return PythonSource(path, raw, "latin-1", raw.decode("latin-1"))
