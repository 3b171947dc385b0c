"""The process that Spark's Python workers are forked from: PySpark's own, after the prelude."""

from __future__ import annotations

import os
import runpy
import sys
import traceback

PRELUDE = "DSTREAM_COMPAT_VERIFY_PRELUDE"  # the variable that names it


def run_prelude() -> None:
    """A stand-in for a module in the driver must be there in the workers, too."""
    path = os.environ.get(PRELUDE)
    if path:
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        said, sys.stdout = sys.stdout, sys.stderr  # Spark reads a port number there
        try:
            runpy.run_path(path, run_name="__prelude__")
        except Exception:  # it ran in the driver; if something is missing here, its use fails
            traceback.print_exc()
        finally:
            sys.stdout = said


if __name__ == "__main__":
    from pyspark import daemon

    run_prelude()
    daemon.manager()
