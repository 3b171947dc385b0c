"""The process that Spark's Python workers are forked from in the tests: PySpark's own, in a hurry.

PySpark has a worker collect garbage after every task. With all that test modules import, that is
most of what the workers do; here they look only at what is new since the last time. And where
psutil is not installed, PySpark's merges do not search the whole path for it at every step.
"""

from __future__ import annotations

import gc
import sys
from importlib.util import find_spec
from types import SimpleNamespace

from pyspark import daemon


def collect() -> None:
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    if find_spec("psutil") is None:
        sys.modules["psutil"] = None  # type: ignore[assignment]
    daemon.gc = SimpleNamespace(collect=collect)
    daemon.manager()
