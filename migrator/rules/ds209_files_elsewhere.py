"""Files on a remote file system.

## Why

Files that Python cannot open by a plain path (`hdfs:`, `s3a:` …), and compressed ones, are read by
a Spark job when their batch time comes, and their lines pass the driver. The legacy engine read
them on the executors. The data is the same; a directory that receives gigabytes per batch needs a
driver with room for them.

## What to do

Nothing for small batches. For large ones mount the file system, or read the directory with
`spark.readStream` and `ssc.dataFrameStream`.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Kind, Module, Project
from migrator.rules._support import given, method_of, scheme, text

RULE = Rule(
    "DS209",
    "files-pass-the-driver",
    "Remote and compressed files pass the driver",
    Severity.INFO,
    Readiness.READY,
    differences=("D16",),
)

_HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
"""

VALID = [
    _HEAD + 'ssc.textFileStream("/data/in").pprint()\n',
    _HEAD + 'ssc.textFileStream("file:///data/in").pprint()\n',
]
INVALID = [Example(_HEAD + 'ssc.textFileStream("hdfs:///data/in").pprint()\n', lines=(3,))]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "textFileStream", "binaryRecordsStream"):
        directory = given(call, "directory")
        where = scheme(directory)
        compressed = (text(directory) or "").endswith(
            (".gz", ".bz2", ".zst", ".snappy", ".deflate")
        )
        if not compressed and where in (None, "", "file"):
            continue
        what = "compressed files are" if compressed else f"files on {where}: are"
        yield RULE.finding(
            module.source,
            method_of(module, call),
            f"{what} read when their batch time comes, and their content passes the driver",
            "nothing to do for small batches; for large ones mount the directory, or use "
            "spark.readStream with ssc.dataFrameStream",
            confidence=call.confidence,
        )
