"""``python -m scripts.pyspark_tests SPARK``: Spark's own streaming tests, on dstream_compat.

SPARK is a checkout of Spark's sources; its tests are not part of the pyspark package. Those of
MLlib's streaming algorithms work through DStreams and are run, too; those of Kinesis need AWS.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from dstream_compat import aliases

NAMES = (
    *(f"streaming/tests/test_{name}.py" for name in ("context", "dstream", "listener")),
    "mllib/tests/test_streaming_algorithms.py",
)


def main(arguments: list[str]) -> int:
    if not arguments:
        print("usage: make pyspark-tests SPARK=path/to/spark", file=sys.stderr)
        return 2
    tests = [Path(arguments[0], "python", "pyspark", name) for name in NAMES]
    for file in tests:
        if not file.is_file():
            print(f"{file} is missing: give a checkout of Spark's sources", file=sys.stderr)
            return 2
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # elsewhere, or pytest would take them for modules of the package that they lie in
    with TemporaryDirectory() as folder:
        for file in tests:
            shutil.copy(file, folder)
        aliases.install()
        return int(
            pytest.main(["-q", "-c", os.devnull, "--rootdir", folder, folder, *arguments[1:]])
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
