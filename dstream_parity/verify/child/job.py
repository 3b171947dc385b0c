"""Executing a job's file: a fresh ``__main__``, its arguments, its modules forgotten afterwards."""

from __future__ import annotations

import ast
import json
import linecache
import os
import runpy
import site
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from dstream_parity.verify.child import sites
from dstream_parity.verify.errors import Refused


@dataclass(frozen=True)
class JobFile:
    """What is to be executed. ``file`` is read, ``home`` is where its modules are."""

    file: str
    home: str
    arguments: tuple[str, ...] = ()
    prelude: str | None = None
    shell: bool = False
    beside: str | None = None
    """Where else its modules may be: next to the original, if a rewritten job was given."""
    path: str | None = None
    """What the job takes for its own path: the user's file, also where ``file`` was made of it."""
    lines: tuple[int, ...] = ()
    """The line of the user's file for every line of ``file``; empty: they are the same."""

    @property
    def homes(self) -> list[str]:
        return [self.home, *filter(None, [self.beside])]

    @property
    def name(self) -> str:
        return os.path.basename(self.file)


def compiled(file: str) -> Any:
    """The code of a job or notebook; raises Refused where it is no Python 3."""
    try:
        with open(file, "rb") as opened:
            raw = opened.read()
        source = _notebook(raw) if file.endswith(".ipynb") else raw
        code = compile(source, file, "exec", dont_inherit=True)
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise no_python3(file, error, "no Python 3") from None
    if isinstance(source, str):  # who looks for the source of a function finds it here
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return code


def is_moved(file: str) -> bool:
    """Whether a job takes its StreamingContext from this package; what cannot be read does not."""
    try:
        with open(file, "rb") as opened:
            raw = opened.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about its strings; the job's own run says so
            tree = ast.parse(_notebook(raw) if file.endswith(".ipynb") else raw)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError, Refused):
        return False
    return any(
        (isinstance(node, ast.Import) and any(name.name == "dstream_compat" for name in node.names))
        or (
            isinstance(node, ast.ImportFrom)
            and node.module in ("dstream_compat", "dstream_compat.context")
            and any(name.name in ("StreamingContext", "*") for name in node.names)
        )
        for node in ast.walk(tree)
    )


def no_python3(file: str, error: BaseException, what: str) -> NotPython3:
    """The refusal of a file that cannot be compiled; without its text, which may hold secrets."""
    name = os.path.basename(file)
    line = getattr(error, "lineno", None)
    where = f"{name}:{line}" if line else name
    refused = NotPython3(f"{where} is {what}: the engines of today need Python 3")
    refused.lineno = line
    return refused


class NotPython3(Refused):
    """A file that Python 3 cannot compile."""

    lineno: int | None = None


def _notebook(raw: bytes) -> str:
    """The code cells of a notebook as one source; magics and shell lines become comments."""
    try:
        cells = json.loads(raw)["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        raise Refused("the notebook cannot be read: it has no cells") from None
    lines = "\n".join(cell for cell in code if not cell.startswith("%%")).split("\n")
    return "\n".join("#" + line if line.lstrip()[:1] in ("%", "!", "?") else line for line in lines)


def execute(job: JobFile, shell_names: dict[str, Any]) -> None:
    """Run the prelude and the job; returns when the job's file comes to its end."""
    code = compiled(job.file)
    sites.renumber(job.file, job.lines)
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
        raise Refused(f"the prelude {path} raised {type(error).__name__}: it has to run") from error


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
    """Drop the job's own modules that are not among these: the next run imports them afresh."""
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
    """Whether a module is none of the job's own."""
    return os.path.realpath(file).startswith(_INSTALLED)
