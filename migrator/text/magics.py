"""Cells of a notebook as Python: lines that only IPython understands are hidden, nothing moves."""

from __future__ import annotations

import ast
import re
import warnings

# Cell magics whose body is Python, run in this kernel.
_PYTHON_CELLS = frozenset({"capture", "memit", "mprun", "prun", "time", "timeit"})

_CELL_MAGIC = re.compile(r"[ \t]*%%(?P<name>\w+)")
_MAGIC = re.compile(
    r"(?P<indent>[ \t]*)(?:[!?]|%(?=[%\w])"
    r"|(?:pip|conda|mamba|cd)[ \t]+[^ \t=,(\[])"  # those that people write without the %
    r"|(?P<help>[ \t]*[\w.*]+\?{1,2}[ \t]*$)"
)
_ASSIGNED = re.compile(r"[ \t]*[\w.,\[\]'\"* \t]+=[ \t]*(?=[!%])")
# Of a logical line: what may hide a line end or a bracket.
_TOKEN = re.compile(
    r"""(?P<string>'{3}(?:[^\\]|\\.)*?'{3} | "{3}(?:[^\\]|\\.)*?"{3}
                 | '(?:[^\\'\r\n]|\\.)*' | "(?:[^\\"\r\n]|\\.)*")
      | (?P<comment>\#[^\r\n]*)
      | (?P<joined>\\(?:\r\n|\r|\n))
      | (?P<open>[\[({])
      | (?P<close>[\])}])
      | (?P<end>\r\n|\r|\n)
    """,
    re.VERBOSE | re.DOTALL,
)
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
# `%run` in a cell that is hidden, in Databricks' own form, and where a statement has to stand.
_RUN = re.compile(
    r"""^[ \t]*(?:\#|\#[ ]MAGIC[ \t]+%|0\#)r?un[ \t]+(?:-\w+[ \t]+)*["']?([^\s"']+)""",
    re.MULTILINE | re.VERBOSE,
)
# Halves of a pair, which JSON can hold and no encoding can.
_SURROGATES = re.compile("[\ud800-\udfff]")


def hidden(cell: str) -> str:
    """The cell with magics and shell lines as comments; as long as before, line by line.

    >>> hidden("!pip install x\\nfor i in y:\\n    %time f(i)\\nfiles = !ls")
    '#pip install x\\nfor i in y:\\n    0#ime f(i)\\nfiles = 0#s'
    """
    if _parses(cell):
        return cell
    magic = _CELL_MAGIC.match(cell)
    if magic is not None and magic["name"] not in _PYTHON_CELLS:
        return masked(cell)
    pieces: list[str] = []
    at = 0
    while at < len(cell):
        end = _hidden_until(cell, at)
        if end is not None:
            pieces += _hide(cell[at:end])
        else:
            end = _logical_line(cell, at)
            pieces.append(cell[at:end])
        at = end
    return "".join(pieces)


def run_files(text: str) -> list[str]:
    """The paths that ``%run`` is given in the source of a notebook.

    >>> run_files(hidden("%run ./common\\nif x:\\n    %run -i 'other.py'\\n"))
    ['./common', 'other.py']
    """
    return _RUN.findall(text) if "un" in text else []


def masked(cell: str) -> str:
    """The cell as nothing but comments; as long as before, line by line.

    >>> masked("x = (\\n\\n  y")
    '# = (\\n\\n# y'
    """
    return "".join(_comment(line) for line in _LINES.findall(_SURROGATES.sub("?", cell)))


def _parses(cell: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _line(text: str, at: int) -> str:
    match = _LINES.match(text, at)
    assert match is not None
    return match.group()


def _hidden_until(cell: str, at: int) -> int | None:
    """The end of the IPython line that begins here, with the lines it is continued on."""
    line = _line(cell, at)
    if not _MAGIC.match(line.rstrip("\r\n")) and not _ASSIGNED.match(line):
        return None
    end = at + len(line)
    while line.rstrip("\r\n").endswith("\\") and end < len(cell):
        line = _line(cell, end)
        end += len(line)
    return end


def _logical_line(cell: str, at: int) -> int:
    """The end of the logical line of Python that begins here."""
    depth = 0
    for token in _TOKEN.finditer(cell, at):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth = max(0, depth - 1)
        elif token["end"] and depth == 0:
            return token.end()
    return len(cell)


def _hide(lines: str) -> list[str]:
    first, *others = _LINES.findall(lines)
    assigned = _ASSIGNED.match(first)
    magic = _MAGIC.match(first.rstrip("\r\n"))
    if magic is not None and not magic["indent"] and not first[:1].isspace():
        head = _comment(first)
    else:  # a statement has to stand here
        kept = (
            assigned.end() if assigned and magic is None else len(first) - len(first.lstrip(" \t"))
        )
        head = first[:kept] + _comment(first[kept:]).replace("#", "0", 1)
        if head[kept + 1 : kept + 2].strip("\r\n"):
            head = head[: kept + 1] + "#" + head[kept + 2 :]
    return [head, *map(_comment, others)]


def _comment(line: str) -> str:
    return "#" + line[1:] if line.strip() and line[0] not in "\r\n" else line
