"""Files with unusual names.

## Why

Three accidents of the legacy engine are gone. A file whose name starts with `_` is skipped, but no
longer fails the whole batch. Names with commas, brackets or braces are read. Checksum files
(`.name.crc`) next to local files are ignored.

## What to do

Nothing, unless something relied on such a file being refused.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import CONTEXT
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS214",
    "file-names",
    "Files with unusual names are read, and one that starts with _ is skipped alone",
    on=calls(Kind.CONTEXT, "textFileStream", "binaryRecordsStream"),
    message="a file whose name starts with _ is skipped alone, and files with unusual names are "
    "read",
    help="nothing to do, unless something relied on a file being refused",
    differences=("D13", "D14", "D15"),
)

VALID = [CONTEXT + "ssc.queueStream([[1, 2], [3]]).pprint()\n"]
INVALID = [Example(CONTEXT + "ssc.textFileStream(directory).pprint()\n", lines=(3,))]
