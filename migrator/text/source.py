"""A file as it is: bytes, their encoding, the text, its syntax tree, and edits by position.

Everything that is not edited keeps its bytes: a result is the original with some spans replaced.
"""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)

# Fields that hold no nodes, or only contexts and operators, which no rule looks for.
_WITHOUT_NODES = frozenset(
    {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module"}
    | {"op", "ops", "rest", "simple", "type_comment"}
)

# What the parser takes for the end of a line; str.splitlines knows more.
_LINE_END = re.compile(r"\r\n|\r|\n")


_FIELDS_BACKWARDS = {
    kind: tuple(name for name in reversed(kind._fields) if name not in _WITHOUT_NODES)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and kind is not ast.Constant
}
"""The fields of each kind of node that may hold nodes, last first."""


@cache
def exact_in_f_strings() -> bool:
    """Whether Python knows where names in f-strings stand: the first releases of 3.10 did not."""
    probe = 'f"{a}{a} {b:{a}}" f"""a \u00e9\n {a} {\n a}"""'
    source = PythonSource("", b"", "utf-8", probe)
    names = {source.span(node).start for node in source.of(ast.Name)}
    return names == {match.start() for match in re.finditer(r"(?<=[{ ])[ab](?=[:}])", probe)}


class Unreadable(Exception):
    """The file cannot be handled; the text says why, in one sentence, without the path."""

    @property
    def brief(self) -> str:
        """The text without a line."""
        return str(self)


class NotPython(Unreadable):
    """Python 3 cannot parse it."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        where = f"line {line}: " if line else ""
        super().__init__(f"is not Python 3: {where}{reason}")
        self.reason = reason
        self.line = line

    @property
    def brief(self) -> str:
        return f"is not Python 3: {self.reason}"


@dataclass(frozen=True)
class Span:
    """A part of the text: character offsets, the end not included."""

    start: int
    end: int


@dataclass(frozen=True)
class Edit:
    """The text of ``span`` becomes ``new``. An empty span inserts."""

    span: Span
    new: str


@dataclass(frozen=True)
class Gap:
    """A cell of a notebook that cannot be read; in the text of its source it is all comments."""

    span: Span
    """Its first line, or the one that Python stumbles over."""
    reason: str
    code: str = field(repr=False)
    """What is written there."""


@dataclass(frozen=True)
class PythonSource:
    """One Python source text.

    >>> source = PythonSource.read("job.py", b"import os\\r\\nx = '\\xc3\\xa9' + os.sep\\r\\n")
    >>> node = source.tree.body[1].value.right
    >>> source.text[source.span(node).start : source.span(node).end]
    'os.sep'
    >>> source.splice([Edit(source.span(node), "'/'")])
    b"import os\\r\\nx = '\\xc3\\xa9' + '/'\\r\\n"
    """

    path: str
    raw: bytes
    encoding: str
    text: str
    """Without a byte order mark; line ends as they are in the file."""
    notebook: bool = False
    """Made of cells: others may run them, and take names from here."""
    gaps: tuple[Gap, ...] = ()

    @classmethod
    def read(cls, path: str, raw: bytes) -> PythonSource:
        """Decode as Python would (PEP 263); raises :class:`Unreadable`."""
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
            text = raw.decode(encoding)
            body = raw.removeprefix(codecs.BOM_UTF8)
            if encoding == "utf-8-sig":
                encoding = "utf-8"
            again = text.encode(encoding)
        except (SyntaxError, UnicodeError, LookupError) as error:
            raise Unreadable(f"cannot be decoded: {error}") from None
        if again != body:
            raise Unreadable(f"cannot be edited byte for byte in the encoding {encoding}")
        return cls(path, raw, encoding, text)

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree; raises :class:`Unreadable` where Python would not compile the text."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about odd escapes in the user's strings
                return ast.parse(self.text)
        except SyntaxError as error:
            raise NotPython(error.msg, error.lineno) from None
        except ValueError as error:  # NUL bytes, before Python 3.12
            raise NotPython(str(error)) from None
        except (RecursionError, MemoryError):
            raise Unreadable("is nested too deeply to be parsed") from None

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree in the order of the source, but for contexts and operators.

        Walked once for all who ask; rules that look for one kind of node take :meth:`of`.
        """
        found: list[ast.AST] = []
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            found.append(node)
            for name in _FIELDS_BACKWARDS.get(type(node), ()):
                value = getattr(node, name, None)
                if type(value) is list:
                    waiting += [item for item in reversed(value) if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST):
                    waiting.append(value)
        return found

    @cached_property
    def _by_kind(self) -> dict[type[ast.AST], list[ast.AST]]:
        index: dict[type[ast.AST], list[ast.AST]] = {}
        for node in self.nodes:
            index.setdefault(type(node), []).append(node)
        return index

    def of(self, kind: type[Node]) -> list[Node]:
        """All nodes of one class, in the order of the source."""
        return self._by_kind.get(kind, [])  # type: ignore[return-value]

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """The index in :attr:`text` of a position of ``ast``: line from 1, column in UTF-8."""
        start = self._line_starts[line - 1]
        if self.text.isascii():
            return start + column
        # Characters are at most as many as bytes, so this slice holds the whole prefix.
        prefix = self.text[start : start + column].encode("utf-8", "surrogatepass")[:column]
        return start + len(prefix.decode("utf-8", "surrogatepass"))

    def span(self, node: ast.AST) -> Span:
        """Where a node with a position stands."""
        return Span(
            self.offset(node.lineno, node.col_offset),  # type: ignore[attr-defined]
            self.offset(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        )

    def code(self, node: ast.AST) -> str:
        """The text of a node, as the user wrote it."""
        span = self.span(node)
        return self.text[span.start : span.end]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1 and in characters, of an index in :attr:`text`."""
        low, high = 0, len(self._line_starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._line_starts[middle] <= offset else (low, middle)
        return low + 1, offset - self._line_starts[low] + 1

    def splice(self, edits: Iterable[Edit]) -> bytes:
        """The file's bytes with the edits applied; raises ValueError if two of them overlap."""
        pieces, at = [], 0
        for edit in sorted(set(edits), key=lambda edit: (edit.span.start, edit.span.end)):
            if edit.span.start < at:
                raise ValueError(f"edits overlap at offset {edit.span.start}")
            pieces += [self.text[at : edit.span.start], edit.new]
            at = edit.span.end
        pieces.append(self.text[at:])
        bom = codecs.BOM_UTF8 if self.raw.startswith(codecs.BOM_UTF8) else b""
        try:
            return bom + "".join(pieces).encode(self.encoding)
        except UnicodeEncodeError:
            raise Unreadable(f"cannot hold the new text in its encoding {self.encoding}") from None
