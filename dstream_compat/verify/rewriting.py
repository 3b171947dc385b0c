"""The job that runs on our side: the user's rewritten file, or what ``migrate rewrite`` gives."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass

from dstream_compat.verify.errors import Refused

_NOT_BUILT = "not yet built"


@dataclass(frozen=True)
class Rewritten:
    """A file, and how it came about in words for the report."""

    file: str
    how: str


def rewritten(job: str, given: str | None, directory: str) -> Rewritten:
    """The rewritten job; the original is left alone, a new file goes into ``directory``."""
    name = os.path.basename(job)
    if given is not None:
        if not os.path.isfile(given):
            raise Refused(f"--rewritten {given}: there is no such file")
        return Rewritten(given, f"{os.path.basename(given)} (given)")
    unedited = Rewritten(job, f"{name}, unedited (pyspark.streaming replaced by dstream_compat)")
    if importlib.util.find_spec("migrator") is None:
        return unedited
    os.makedirs(directory, exist_ok=True)
    copy = os.path.join(directory, name)
    shutil.copyfile(job, copy)
    done = subprocess.run(
        [sys.executable, "-m", "migrator", "rewrite", copy],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        if _NOT_BUILT in done.stderr:
            return unedited
        said = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Refused(
            f"`migrate rewrite` could not rewrite {name} ({said.replace(copy, name)}): rewrite it "
            "by hand and give --rewritten FILE"
        )
    return Rewritten(copy, f"{name} as `migrate rewrite` rewrites it")
