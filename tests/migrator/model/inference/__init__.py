"""How the model is tested: source in, what was found as short lines out.

    found(code)     "8 DStream.map", "3 StreamingContext.__init__": line, owner and method of calls
                    on streams, contexts and what makes them, in the order of the source
    graph(code)     "map <- socketTextStream": every stream and what it is made from

A source is a string (indentation that all lines share is dropped), or a mapping of paths to
strings for several modules.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TypeAlias

from migrator.model.inference import analyse
from migrator.model.jobmodel import Call, Kind, Module, Project
from migrator.text.source import PythonSource

Code: TypeAlias = "str | Mapping[str, str]"
JOB = "job.py"
STREAMING = (Kind.STREAM, Kind.CONTEXT, Kind.UTILS, Kind.STATE_SPEC, Kind.MODEL)

HEAD = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
lines = ssc.socketTextStream("localhost", 9999)
"""
"""Three lines that most examples start with."""


def project(code: Code) -> Project:
    files = {JOB: code} if isinstance(code, str) else code
    return analyse(
        PythonSource.read(path, textwrap.dedent(text).encode()) for path, text in files.items()
    )


def module(code: Code, path: str = JOB) -> Module:
    return project(code).modules[path]


def job(body: str) -> Module:
    """The module of a body behind HEAD; its first line is line 4."""
    return module(HEAD + textwrap.dedent(body).lstrip("\n"))


def streaming(of: Module) -> list[Call]:
    return [call for call in of.calls if call.on in STREAMING]


def found(of: Module) -> list[str]:
    """The calls behind HEAD, if it is there: ``4 DStream.map``."""
    first = 4 if of.source.text.startswith(HEAD) else 0
    lines = [(place(call), call) for call in streaming(of)]
    return [f"{line} {call.owner}.{call.method}" for line, call in lines if line >= first]


def place(call: Call) -> int:
    """The line of the method's name."""
    return call.node.func.end_lineno or call.node.lineno


def operations(of: Module) -> list[str]:
    """The methods called on streams, in the order of the source."""
    return [call.method for call in of.calls_of(Kind.STREAM)]


def graph(of: Project) -> list[str]:
    """``map <- socketTextStream``; sources alone."""
    names = {stream.number: stream.operation for stream in of.streams}
    return [
        " <- ".join(
            [s.operation, *([" + ".join(names[p] for p in s.parents)] if s.parents else [])]
        )
        for s in of.streams
    ]


def escapes(of: Module) -> list[str]:
    """``7 UNKNOWN_CALL helper.run``."""
    return [f"{e.node.lineno} {e.how.name} {e.name}" for e in of.escapes]  # type: ignore[attr-defined]
