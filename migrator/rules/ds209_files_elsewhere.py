"""Files on a remote file system.

## Why

Files that Python cannot open by a plain path (`hdfs:`, `s3a:` …), and compressed ones, are read by
a Spark job at their batch time, and their lines pass through the driver. The legacy engine read
them on the executors. The data is the same, but a directory that receives gigabytes per batch needs
a driver with enough memory for them.

## What to do

Nothing if batches are small. If they are large, mount the file system, or read the directory with
`spark.readStream` and `ssc.dataFrameStream`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._examples import CONTEXT
from migrator.rules._literals import scheme, text

RULE = Rule(
    "DS209",
    "files-pass-the-driver",
    "Remote and compressed files pass through the driver",
    Severity.INFO,
    Readiness.READY,
    message="{what} are read at their batch time, and their content passes through the driver",
    help="nothing to do if batches are small; if they are large, mount the directory, or use "
    "spark.readStream with ssc.dataFrameStream",
    differences=("D16",),
)

VALID = [
    CONTEXT + 'ssc.textFileStream("/data/in").pprint()\n',
    CONTEXT + 'ssc.textFileStream("file:///data/in").pprint()\n',
]
INVALID = [Example(CONTEXT + 'ssc.textFileStream("hdfs:///data/in").pprint()\n', lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "textFileStream", "binaryRecordsStream"):
        directory = call.given("directory")
        where = scheme(directory)
        compressed = (text(directory) or "").endswith(_COMPRESSED)
        if compressed or where not in (None, "", "file"):
            what = "compressed files" if compressed else f"files on {where}:"
            yield RULE.at(module, call, what=what)


_COMPRESSED = (".gz", ".bz2", ".zst", ".snappy", ".deflate")
