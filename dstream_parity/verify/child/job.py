"""Executes a job's file: as a fresh ``__main__``, with its modules forgotten afterwards."""

from __future__ import annotations

import os
import runpy
import site
import sys
import sysconfig
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from dstream_parity.verify.child import sites
from dstream_parity.verify.child.source import compiled, read_source
from dstream_parity.verify.errors import Refused


@dataclass(frozen=True)
class JobFile:
    """What to execute. ``file`` is read; ``home`` is where its modules are."""

    file: str
    home: str
    arguments: tuple[str, ...] = ()
    prelude: str | None = None
    shell: bool = False
    beside: str | None = None
    """Where else its modules may be: next to the original, if a rewritten job was given."""
    path: str | None = None
    """The job's ``__file__``: the user's file, even if ``file`` was made from it."""
    places: tuple[sites.Place, ...] = ()
    """For every line of ``file`` the place in the user's file, if ``file`` was made from that."""

    @classmethod
    def from_order(cls, given: dict[str, Any]) -> JobFile:
        """From JSON, which has no tuples."""
        places = tuple((cell, line) for cell, line in given["places"])
        return cls(**{**given, "arguments": tuple(given["arguments"]), "places": places})

    @property
    def homes(self) -> list[str]:
        return [self.home, *filter(None, [self.beside])]

    @property
    def name(self) -> str:
        return os.path.basename(self.file)


def execute(job: JobFile, shell_names: dict[str, Any]) -> None:
    """Run the prelude and the job; returns when the file has run to its end."""
    source = read_source(job.file)
    code = compiled(job.file, source)
    sites.know_places(job.file, job.places or source.places)
    with _as_main(job) as module:
        if job.prelude is not None:
            _run_prelude(job.prelude)
        module.__dict__.update(shell_names)
        exec(code, module.__dict__)


def _run_prelude(path: str) -> None:
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        runpy.run_path(path, run_name="__prelude__")
    except Exception as error:
        raise Refused(
            f"the prelude {path} raised {type(error).__name__}, but it must run before the job"
        ) from error


@contextmanager
def _as_main(job: JobFile) -> Iterator[ModuleType]:
    module = ModuleType("__main__")
    path = job.path or job.file
    module.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None)
    before = (sys.modules["__main__"], sys.argv, list(sys.path), set(sys.modules))
    sys.modules["__main__"] = module
    sys.argv = [path, *job.arguments]
    sys.path[:0] = job.homes
    try:
        yield module
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:], known = before
        forget(known)


def forget(known: Set[str]) -> None:
    """Drop the job's modules that are not among these, so that the next run imports them again."""
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file is None or not is_installed(file):
            del sys.modules[name]


_INSTALLED = tuple(
    os.path.join(os.path.realpath(path), "")
    for path in {
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
        *sites.OURS,
    }
)


def is_installed(file: str) -> bool:
    """Whether a module does not belong to the job."""
    return os.path.realpath(file).startswith(_INSTALLED)
