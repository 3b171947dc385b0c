"""``python -m scripts.class_archive``: an archive of the classes that a Spark of the tests loads.

The tests start some hundred JVMs, and half of what a start takes is the loading of classes. A JVM
that is given this archive (SPARK_CLASS_ARCHIVE, see conf/spark-env.sh) maps them instead; one that
the archive does not fit, of another Java or another Spark, takes no notice of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

NAME = "spark.jsa"  # in the virtual environment
ROOT = Path(__file__).resolve().parent.parent
# These JVMs end before a second compiler and a parallel collector have paid for themselves.
JVM_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def make(file: Path) -> bool:
    """Makes the archive, whole or not at all."""
    unfinished = file.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    environment = os.environ | {
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(ROOT),
        "SPARK_CLASS_ARCHIVE": str(unfinished),
        "SPARK_CLASS_ARCHIVE_OPTION": "-XX:ArchiveClassesAtExit",
        "SPARK_CONF_DIR": str(ROOT / "conf"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": JVM_OPTIONS,
    }
    command = [sys.executable, "-c", "from scripts.class_archive import load; load()"]
    subprocess.run(command, env=environment, capture_output=True, check=False)
    if not unfinished.exists():
        return False
    unfinished.replace(file)
    return True


def load() -> None:
    """Has this process's JVM load what both engines use, and end."""
    from pyspark import SparkContext

    from dstream_parity import replay
    from dstream_parity.base import functions

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        (pairs,) = inputs
        return [pairs.updateStateByKey(functions.collect).window(2)]

    sc = SparkContext("local[2]", "class archive")
    ticks = [[[[("a", 1)], [("b", 2)]]], [[[("a", 3)]]]]
    replay(build, ticks, "legacy", sc=sc)
    replay(build, ticks, "compat", sc=sc)
    gateway: Any = SparkContext._gateway
    sc.stop()
    # The JVM ends with its standard input, and writes the archive then.
    gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait()


if __name__ == "__main__":
    if not make(Path(sys.prefix, NAME)):
        print("This Java makes no archive of classes: the tests take some minutes longer.")
