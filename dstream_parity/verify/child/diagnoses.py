"""What real jobs stumble over: one sentence each, with the option that helps."""

from __future__ import annotations

import errno
import os
import re
import socket
import traceback

from dstream_parity import raised
from dstream_parity.verify.child import sites
from dstream_parity.verify.child.job import JobFile
from dstream_parity.verify.words import many

_SHELL_NAMES = ("sc", "spark", "sqlContext", "sqlCtx")  # what --shell defines
_PYTHON2_NAMES = (
    *("basestring", "cmp", "execfile", "file", "long", "raw_input", "reduce", "reload"),
    *("unichr", "unicode", "xrange"),
)
# Errors of clients, which have no base class in common. "resolve" alone would also match what Spark
# says about columns.
_CONNECTION = re.compile(
    r"connection|connecting|could not connect|unreachable|timed ?out|NoBrokers|gaierror"
    r"|name or service not known|name resolution|resolve host",
    re.I,
)
_UNREACHED = (
    *(errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTDOWN, errno.EHOSTUNREACH),
    *(errno.EADDRNOTAVAIL, errno.ENETRESET),
)
_STAND_IN = "provide a stand-in with --prelude FILE, which runs before the job on both sides"


def of(error: BaseException, job: JobFile, show_values: bool) -> str:
    """Why a job did not get to ``start()``. No values: texts of exceptions may hold some."""
    at = _place(error, job)
    known = _names(error, at) or _ended(error, at, job) or _surroundings(error, at)
    if known is not None:
        return known
    seen = raised(error)
    text = f" ({seen.text})" if show_values and seen.text else ""
    hint = "" if show_values else "; --show-values shows its text"
    return f"{at} raised {seen.type}{text} before the job was started{hint}"


def _names(error: BaseException, at: str) -> str | None:
    """Something that the job imports or uses does not exist here."""
    if isinstance(error, ModuleNotFoundError):
        return f"{at} imports {error.name}, which is not installed: install it, or {_STAND_IN}"
    if isinstance(error, ImportError):
        return f"{at} cannot import what it needs from {error.name or 'a module'}: {_STAND_IN}"
    if isinstance(error, NameError) and error.name in _SHELL_NAMES:
        return f"{at} uses {error.name}, which only a shell or notebook defines: use --shell"
    if isinstance(error, NameError) and error.name in _PYTHON2_NAMES:
        return f"{at} uses {error.name}, which only Python 2 has: `migrate scan` lists such places"
    if isinstance(error, SyntaxError) and error.filename:
        return (
            f"{os.path.basename(error.filename)}:{error.lineno}, which the job imports, is not "
            "Python 3: if it is Python 2, modernise the whole directory with `migrate rewrite "
            "--python2 --select DS7 -o NEW_DIRECTORY` and verify the job there"
        )
    return None


def _ended(error: BaseException, at: str, job: JobFile) -> str | None:
    """The job wants other arguments."""
    if isinstance(error, SystemExit):
        return (
            f"the job exited with code {_code(error)} at {at} before it started a "
            f"StreamingContext: {_arguments(job)}"
        )
    if isinstance(error, IndexError) and _mentions_argv(error):
        return f"{at} needs an argument that was not given: {_arguments(job)}"
    return None


def _surroundings(error: BaseException, at: str) -> str | None:
    """The job does not find what it has in production, or finds nothing to do."""
    seen = raised(error)
    if _is_connection(error, f"{type(error).__name__} {seen.type} {seen.text}"):
        return f"{at} opens an outside connection while it builds its graph: {_STAND_IN}"
    if "No output operations registered" in seen.text:
        return f"{at} starts the context without an output operation: there is nothing to compare"
    java = isinstance(error, AttributeError) and "'JavaPackage'" in str(error)
    called = isinstance(error, TypeError) and "'JavaPackage' object is not callable" in str(error)
    if java or called:
        return f"{at} uses a Java class that Spark does not have: {_STAND_IN}"
    return None


def in_batches(error: BaseException, at: str) -> str:
    """The engine failed to run the batches of a job that waits for them."""
    return f"{raised(error).type} while the batches ran (the job was at {at}); --verbose shows more"


def feed(error: BaseException) -> str:
    """Why recorded elements of the job's own classes could not be loaded."""
    return (
        "recorded elements cannot be loaded where the job runs: a module that defines them raised "
        f"{type(error).__name__}; --verbose shows where"
    )


def _is_connection(error: BaseException, text: str) -> bool:
    if isinstance(error, (ConnectionError, TimeoutError, socket.gaierror, socket.herror)):
        return True
    if isinstance(error, OSError) and type(error).__module__ == "builtins":  # of the system
        return error.errno in _UNREACHED
    return _CONNECTION.search(text) is not None


def never_started(contexts: int, outputs: int) -> str:
    """The file ran to its end without ``start()``."""
    if not contexts:
        return (
            "the job finished without creating a StreamingContext: give the file that starts the "
            "job, and any arguments it needs after --"
        )
    return (
        "the job finished without starting its StreamingContext (it has "
        f"{many(outputs, 'output operation')}): give the file that starts it, and any arguments "
        "it needs after --"
    )


def after_start(error: BaseException, job: JobFile) -> str:
    """An exception after ``start()``: the batches count all the same."""
    return f"{_place(error, job)} raised {raised(error).type} after the job was started"


def _place(error: BaseException, job: JobFile) -> str:
    return sites.raised_at(error, (*job.homes, job.file)) or job.name


def _arguments(job: JobFile) -> str:
    given = f"{len(job.arguments)} were given" if job.arguments else "none were given"
    return f"put its arguments after -- ({given}): migrate verify {job.name} -- ARGUMENT …"


def _code(error: SystemExit) -> str:
    return str(error.code) if isinstance(error.code, int) else "1"


def _mentions_argv(error: BaseException) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    return any("argv" in (frame.line or "") for frame in frames)
