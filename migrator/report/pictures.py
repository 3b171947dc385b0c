"""A stream graph as SVG: sources at the top, outputs at the bottom, one row per step.

Colours come from the page it stands in (``--teal``, ``--blue``, ``--violet``), with values of
their own where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from migrator.model.jobmodel import Job, Project, Role, Stream
from migrator.report.graphs import ShowPlace, line_in_file, operation, streams_of

_ROW = 74
_BOX = 44
_GAP = 22
_MARGIN = 12
_WIDE = 34
"""Characters of a line that are shown."""
_COLOURS = {
    Role.SOURCE: ("--teal", "#0f7f86"),
    Role.OPERATOR: ("--blue", "#2467b8"),
    Role.OUTPUT: ("--violet", "#7a4fb5"),
}


@dataclass
class _Node:
    """A stream in its row, or a bend of a line that passes the row (no stream)."""

    stream: Stream | None
    row: int
    width: float
    x: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def svg(project: Project, job: Job, place: ShowPlace | None = None) -> str:
    """A job's graph as an ``<svg>`` element that needs nothing else; "" without streams."""
    streams = streams_of(project, job)
    return _picture(streams, place or line_in_file(job)) if streams else ""


def _picture(streams: Sequence[Stream], place: ShowPlace) -> str:
    lines = {stream.number: _lines(stream, place) for stream in streams}
    rows = _rows(streams)
    nodes = {
        stream.number: _Node(stream, rows[stream.number], _width(lines[stream.number]))
        for stream in streams
    }
    ways = _ways(streams, nodes)
    width, height = _arrange(nodes, ways)
    drawn = [_way(way) for way in ways]
    drawn += [_box(node, lines[number]) for number, node in nodes.items()]
    label = f"Graph of {len(streams)} streams and outputs"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{label}" '
        f'font-family="system-ui, sans-serif">{"".join(drawn)}</svg>'
    )


def _lines(stream: Stream, place: ShowPlace) -> tuple[str, str]:
    below = " · ".join(part for part in (stream.name, place(stream)) if part)
    return _short(operation(stream)), _short(below)


def _short(text: str) -> str:
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def _width(lines: tuple[str, str]) -> float:
    return 24 + max(len(lines[0]) * 8.6, len(lines[1]) * 6.8)


def _rows(streams: Sequence[Stream]) -> dict[int, int]:
    """The row of each stream: below all its parents. Lines back up, in loops, do not count."""
    parents = {stream.number: stream.parents for stream in streams}
    rows: dict[int, int] = {}
    busy: set[int] = set()
    for stream in streams:
        todo = [stream.number]
        while todo:
            number = todo[-1]
            waiting = [
                p for p in parents[number] if p in parents and p not in rows and p not in busy
            ]
            if waiting and number not in rows:
                busy.add(number)
                todo.append(waiting[0])
                continue
            above = [rows[p] for p in parents[number] if p in rows and p != number]
            rows.setdefault(number, max(above, default=-1) + 1)
            busy.discard(number)
            todo.pop()
    return rows


def _ways(streams: Sequence[Stream], nodes: dict[int, _Node]) -> list[list[_Node]]:
    """From each parent to each child, with a bend in every row between them."""
    ways = []
    for stream in streams:
        for parent in stream.parents:
            if parent in nodes:
                start, end = nodes[parent], nodes[stream.number]
                bends = [_Node(None, row, 8) for row in range(start.row + 1, end.row)]
                ways.append([start, *bends, end])
    return ways


def _arrange(nodes: dict[int, _Node], ways: list[list[_Node]]) -> tuple[float, float]:
    """Give every node its place in its row, near the middle of what is above it."""
    rows: dict[int, list[_Node]] = {}
    above: dict[int, list[_Node]] = {}
    for node in [*nodes.values(), *(bend for way in ways for bend in way[1:-1])]:
        rows.setdefault(node.row, []).append(node)
    for way in ways:
        for upper, lower in pairwise(way):
            above.setdefault(id(lower), []).append(upper)
    for row in sorted(rows):
        wanted = {id(node): _wanted(above.get(id(node), [])) for node in rows[row]}
        at = 0.0
        for node in sorted(rows[row], key=lambda node: wanted[id(node)]):
            node.x = max(at, wanted[id(node)] - node.width / 2)
            at = node.x + node.width + _GAP
    left = min(node.x for row in rows.values() for node in row)
    right = max(node.x + node.width for row in rows.values() for node in row)
    for row_nodes in rows.values():
        for node in row_nodes:
            node.x += _MARGIN - left
    return right - left + 2 * _MARGIN, max(rows) * _ROW + _BOX + 2 * _MARGIN


def _wanted(above: list[_Node]) -> float:
    return sum(node.middle for node in above) / len(above) if above else 0.0


def _top(node: _Node) -> float:
    return _MARGIN + node.row * _ROW


def _way(way: list[_Node]) -> str:
    """A line through all its bends."""
    start = way[0]
    path = [f"M{start.middle:.0f} {_top(start) + _BOX:.0f}"]
    for upper, lower in pairwise(way):
        y0, y1 = _top(upper) + _BOX, _top(lower)
        half = (y0 + y1) / 2
        path.append(
            f"C{upper.middle:.0f} {half:.0f} {lower.middle:.0f} {half:.0f} "
            f"{lower.middle:.0f} {y1:.0f}"
        )
        if lower.stream is None:
            path.append(f"V{y1 + _BOX:.0f}")
    return (
        f'<path d="{"".join(path)}" fill="none" stroke="#8a94a3" '
        'style="stroke: var(--faint, #8a94a3)" stroke-width="1.5"/>'
    )


def _box(node: _Node, lines: tuple[str, str]) -> str:
    stream = node.stream
    assert stream is not None
    name, colour = _COLOURS[stream.role]
    round_ = _BOX / 2 if stream.role is Role.SOURCE else 6
    doubled = ' stroke-dasharray="5 3"' if stream.operation == "?" else ""
    middle, top = f"{node.middle:.0f}", _top(node)
    return (
        f'<g class="{stream.role.value}"><title>{escape(stream.path)}:{stream.line}</title>'
        f'<rect x="{node.x:.0f}" y="{top:.0f}" width="{node.width:.0f}" height="{_BOX}" '
        f'rx="{round_:.0f}" fill="#ffffff" stroke="{colour}" stroke-width="1.5"{doubled} '
        f'style="fill: var(--card, #ffffff); stroke: var({name}, {colour})"/>'
        + _text(middle, top + (19 if lines[1] else 27), lines[0], 13, "--ink", "#1d2430", "600")
        + (_text(middle, top + 35, lines[1], 11, "--faint", "#5c6675", "400") if lines[1] else "")
        + "</g>"
    )


def _text(x: str, y: float, text: str, size: int, name: str, colour: str, weight: str) -> str:
    return (
        f'<text x="{x}" y="{y:.0f}" text-anchor="middle" font-weight="{weight}" fill="{colour}" '
        f'style="fill: var({name}, {colour}); font-size: {size}px">{escape(text)}</text>'
    )
