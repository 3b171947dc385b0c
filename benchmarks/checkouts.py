"""Measuring dstream_compat as it is in another checkout, in turn with this one.

The other checkout's package runs in a child process with a Spark of its own, under this
checkout's workloads and measuring code. Requests and answers are lines of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from benchmarks import spark
from benchmarks.engines import measure

HERE = Path(__file__).resolve().parent


class Checkout:
    """The other checkout's engine; use it as a context manager."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()

    def __enter__(self) -> Checkout:
        self._folder = tempfile.TemporaryDirectory(prefix="benchmarks-")
        os.symlink(HERE, Path(self._folder.name, "benchmarks"))
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join([self._folder.name, str(self._root)])
        self._child = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.checkouts", str(self._root)],
            cwd=self._folder.name,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait()
        self._folder.cleanup()

    def measure(self, name: str, batches: int) -> list[float]:
        """As :func:`benchmarks.engines.measure` does here."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps([name, batches]) + "\n")
        self._child.stdin.flush()
        for line in self._child.stdout:
            if line.startswith("measured "):  # Spark prints lines, too
                seconds: list[float] = json.loads(line.removeprefix("measured "))
                return seconds
        raise RuntimeError(f"the engine of {self._root} broke down on {name}; its output is above")


def _serve(root: str) -> None:
    import dstream_compat

    found = Path(dstream_compat.__file__).resolve()
    if Path(root) not in found.parents:
        sys.exit(f"bench: {root} has no dstream_compat of its own; found {found}")
    with spark.context() as sc:
        for line in sys.stdin:
            name, batches = json.loads(line)
            seconds = measure(sc, "ours", name, batches)
            print("measured " + json.dumps(seconds), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
