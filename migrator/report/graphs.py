"""A job's stream graph for people: a tree of text, a Mermaid flowchart, a picture.

Names of operations and variables and places in the source are shown; arguments never.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import TypeAlias

from migrator.core import Confidence
from migrator.model.jobmodel import Job, Project, Role, Stream

ShowPlace: TypeAlias = "Callable[[Stream], str]"
"""How to say where a stream stands."""

_UNKNOWN = "stream of unknown origin"


def streams_of(project: Project, job: Job) -> list[Stream]:
    """The streams in a job's modules."""
    return [stream for stream in project.streams if stream.path in job.modules]


def operation(stream: Stream) -> str:
    """What a stream is called in a graph."""
    return _UNKNOWN if stream.operation == "?" else stream.operation


def line_in_file(job: Job) -> ShowPlace:
    """``line 12`` in the job's own file, ``helper.py:12`` elsewhere; notebooks have no lines."""

    def place(stream: Stream) -> str:
        own = stream.path == job.path
        if stream.path.endswith(".ipynb"):
            return "" if own else PurePath(stream.path).name
        return f"line {stream.line}" if own else f"{PurePath(stream.path).name}:{stream.line}"

    return place


def tree(project: Project, job: Job, place: ShowPlace | None = None) -> str:
    """The graph as indented text. A stream with several parents is shown under the first; the
    others point to it."""
    where = place or line_in_file(job)
    streams = streams_of(project, job)
    children = _children(streams)
    shown: set[int] = set()
    lines = [_title(project, job)]
    roots = _roots(streams)
    for root in roots:
        _branch(root, root is roots[-1], children, shown, where, lines)
    return "\n".join(lines) + "\n"


def _title(project: Project, job: Job) -> str:
    used = {stream.context for stream in streams_of(project, job)}
    lengths = {c.batch_seconds for c in project.contexts if c.number in used and c.batch_seconds}
    if len(lengths) != 1:
        return job.path
    return f"{job.path}, batches of {lengths.pop():g} s"


def _roots(streams: list[Stream]) -> list[Stream]:
    """Streams without parents; and where streams are only made from each other, one of them."""
    here = {stream.number for stream in streams}
    children = _children(streams)
    found: list[Stream] = []
    reached: set[int] = set()
    for stream in [s for s in streams if not here.intersection(s.parents)] + streams:
        if stream.number not in reached:
            found.append(stream)
            todo = [stream]
            while todo:
                at = todo.pop()
                if at.number not in reached:
                    reached.add(at.number)
                    todo += children.get(at.number, [])
    return found


def _children(streams: list[Stream]) -> dict[int, list[Stream]]:
    children: dict[int, list[Stream]] = {}
    for stream in streams:
        for parent in stream.parents:
            children.setdefault(parent, []).append(stream)
    return children


def _branch(
    root: Stream,
    last_root: bool,
    children: dict[int, list[Stream]],
    shown: set[int],
    where: ShowPlace,
    lines: list[str],
) -> None:
    todo = [(root, "", last_root)]
    while todo:  # not by recursion: chains may be long
        stream, indent, last = todo.pop()
        again = stream.number in shown
        mark = "└─ " if last else "├─ "
        lines.append(f"{indent}{mark}{_line(stream, where, again)}")
        if again:
            continue
        shown.add(stream.number)
        below = children.get(stream.number, [])
        inner = indent + ("   " if last else "│  ")
        todo += [
            (child, inner, index == len(below) - 1)
            for index, child in reversed([*enumerate(below)])
        ]


def _line(stream: Stream, where: ShowPlace, again: bool) -> str:
    name = f"{stream.name} = " if stream.name else ""
    notes = [note for note in (where(stream), _doubt(stream), "see above" if again else "") if note]
    return f"{name}{operation(stream)}" + (f"  ({', '.join(notes)})" if notes else "")


def _doubt(stream: Stream) -> str:
    return "guessed" if stream.confidence is Confidence.GUESS else ""


_SHAPES = {Role.SOURCE: ('(["', '"])'), Role.OPERATOR: ('["', '"]'), Role.OUTPUT: ('[/"', '"/]')}


def mermaid(project: Project, job: Job, place: ShowPlace | None = None) -> str:
    """The graph as a Mermaid flowchart, for Markdown."""
    where = place or line_in_file(job)
    streams = streams_of(project, job)
    here = {stream.number for stream in streams}
    lines = ["flowchart TD"]
    for stream in streams:
        before, after = _SHAPES[stream.role]
        parts = [operation(stream), *filter(None, [stream.name, where(stream)])]
        label = "<br>".join(_escaped(part) for part in parts)
        lines.append(f"    s{stream.number}{before}{label}{after}")
    lines += [
        f"    s{parent} --> s{stream.number}"
        for stream in streams
        for parent in stream.parents
        if parent in here
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Mermaid takes entity codes with # where HTML has &."""
    return "".join(c if c.isalnum() or c in " ._-:…" else f"#{ord(c)};" for c in text)
