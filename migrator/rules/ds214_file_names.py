"""How files with odd names are read.

## Why

Three accidents of the legacy engine are gone. A file whose name starts with `_` no longer costs
the whole batch, it alone is left out. Names with commas, brackets or braces are read. Checksum
files (`.name.crc`) beside local files are not looked at.

## What to do

Nothing, unless something counted on such a file being refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.rules._support import note

RULE = Rule(
    "DS214",
    "file-names",
    "Files with odd names are read, those starting with _ are left out alone",
    Severity.INFO,
    Readiness.READY,
    differences=("D13", "D14", "D15"),
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [_HEAD + "ssc.queueStream([[1, 2], [3]]).pprint()\n"]
INVALID = [Example(_HEAD + "ssc.textFileStream(directory).pprint()\n", lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    yield from note(
        RULE,
        module,
        project,
        _files,
        "a file whose name starts with _ is left out alone, and files with odd names are read",
        "nothing to do, unless something counted on a file being refused",
    )


def _files(module: Module) -> Iterator[Call]:
    return module.calls_of(Kind.CONTEXT, "textFileStream", "binaryRecordsStream")
