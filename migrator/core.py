"""What the migrator says about code: findings, fixes, and what became of a file. No I/O."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from migrator.text.source import Edit, PythonSource, Span

if TYPE_CHECKING:
    from migrator.model.jobmodel import Module, Project


class Severity(enum.IntEnum):
    """How bad it is if nothing is done."""

    INFO = 1
    """Good to know; the job does what it did."""
    WARNING = 2
    """The job runs and may behave differently."""
    ERROR = 3
    """The job does not run, or gives wrong data."""

    def __str__(self) -> str:
        return self.name.lower()


class Confidence(enum.Enum):
    """How the migrator knows."""

    SURE = "sure"
    """Followed from an import or a constructor to here."""
    LIKELY = "likely"
    """Followed through something that may differ at run time: a parameter, an attribute."""
    GUESS = "guess"
    """Only the shape of the code says so."""

    __hash__ = object.__hash__  # an enum's own is slow

    def at_most(self, limit: Confidence) -> Confidence:
        """The more doubtful of the two."""
        return self if limit is Confidence.SURE else max(self, limit, key=_DOUBT.index)

    def __str__(self) -> str:
        return self.value


_DOUBT = tuple(Confidence)


class Safety(enum.Enum):
    """What is known of a fix."""

    SAFE = "safe"
    """The job does the same, as a parity property proves. Applied by default."""
    UNSAFE = "unsafe"
    """Needs a look before it is used; applied with --unsafe-fixes."""

    def __str__(self) -> str:
        return self.value


class Readiness(enum.IntEnum):
    """What a finding means for its job; a job is as ready as its worst finding."""

    READY = 0
    """Nothing to do, or done by a safe fix."""
    DECIDE = 1
    """A value or a choice is needed."""
    UNKNOWN = 2
    """Not parsed, or not followed."""
    BLOCKED = 3
    """Cannot be moved as it is."""

    def __str__(self) -> str:
        return self.name.lower()


class Family(enum.Enum):
    """The hundreds of a rule's code."""

    IMPORTS = 1
    SOURCES = 2
    OPERATORS = 3
    STATE = 4
    OUTPUTS = 5
    INTERNALS = 6
    """Life cycle, listeners, private names, Java objects."""
    PYTHON2 = 7
    AROUND = 8
    """Files around a job: scripts, images, requirements, settings."""
    ANALYSIS = 9
    """What could not be parsed or followed."""

    def __str__(self) -> str:
        return "Python 2" if self is Family.PYTHON2 else self.name.lower()


@dataclass(frozen=True)
class Fix:
    """Edits that belong together: all or none are made."""

    edits: tuple[Edit, ...]
    safety: Safety = Safety.SAFE


@dataclass(frozen=True)
class Finding:
    """What a rule says about one place. Never holds a value from the user's code."""

    code: str
    path: str
    span: Span
    line: int
    column: int
    """Line and column from 1, in characters."""
    end_line: int
    end_column: int
    message: str
    """What is the matter here, and why: one sentence, without a full stop."""
    help: str
    """What to do: one sentence, without a full stop."""
    severity: Severity
    readiness: Readiness
    confidence: Confidence = Confidence.SURE
    fix: Fix | None = None
    cell: int | None = None
    """The number of the notebook's cell, from 1; line and column are within it."""


Check: TypeAlias = "Callable[[Module, Project], Iterable[Finding]]"


@dataclass(frozen=True)
class Example:
    """Code in which a rule finds something: a test and a part of the rule's page at once."""

    before: str
    after: str | None = None
    """What the rewritten file is; None if the rule changes nothing."""
    lines: tuple[int, ...] = ()
    """The lines of the findings; empty: anywhere."""


class Subject(Protocol):
    """A piece of the model that a finding can be about: a call, an attribute, an escape."""

    @property
    def confidence(self) -> Confidence: ...

    def span(self, source: PythonSource) -> Span:
        """What is marked in the source."""
        ...


@dataclass(frozen=True)
class Rule:
    """What all findings of one code share."""

    code: str
    name: str
    """Kebab case, unique."""
    summary: str
    """One sentence for lists."""
    severity: Severity
    readiness: Readiness
    message: str
    """A template for :attr:`Finding.message`: ``{method} is called after start()``."""
    help: str
    """A template for :attr:`Finding.help`."""
    fix: Safety | None = None
    """The safety of its fixes, if it has any."""
    differences: tuple[str, ...] = ()
    """Ids in docs/differences.md that it reports."""

    @property
    def family(self) -> Family:
        return Family(int(self.code[2]))

    def at(
        self,
        file: Module | PythonSource,
        place: Subject | ast.AST | Span,
        node: ast.AST | None = None,
        /,
        *,
        message: str | None = None,
        help: str | None = None,
        fix: Fix | None = None,
        confidence: Confidence = Confidence.SURE,
        severity: Severity | None = None,
        readiness: Readiness | None = None,
        harmless: bool = False,
        **fields: object,
    ) -> Finding:
        """A finding at a place; ``node`` is what to mark instead of all of it.

        A template's fields are the attributes of the place, such as ``{method}`` of a call, and
        what is given here by name. A finding is never surer than its place. One that is
        ``harmless`` is for information only. A guess is never more than a hint: its severity is
        info, and its job unknown at worst.
        """
        source = file if isinstance(file, PythonSource) else file.source
        if not isinstance(place, ast.AST | Span):
            confidence = place.confidence.at_most(confidence)
            fields = {**vars(place), **fields}
        severity = self.severity if severity is None else severity
        readiness = self.readiness if readiness is None else readiness
        if harmless:
            severity, readiness = Severity.INFO, Readiness.READY
        if confidence is Confidence.GUESS:
            severity = Severity.INFO
            readiness = readiness and Readiness.UNKNOWN
        span = _span(source, place if node is None else node)
        line, column = source.position(span.start)
        end_line, end_column = source.position(span.end)
        return Finding(
            self.code,
            source.path,
            span,
            line,
            column,
            end_line,
            end_column,
            (self.message if message is None else message).format_map(fields),
            (self.help if help is None else help).format_map(fields),
            severity,
            readiness,
            confidence,
            fix,
        )


def _span(source: PythonSource, place: Subject | ast.AST | Span) -> Span:
    """A node's first line if it has many."""
    if isinstance(place, Span):
        return place
    return source.span(place) if isinstance(place, ast.AST) else place.span(source)


@dataclass(frozen=True)
class Changed:
    """The file becomes ``after``; ``findings`` are what remains to be done by hand."""

    path: str
    before: bytes = field(repr=False)
    after: bytes = field(repr=False)
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Unchanged:
    path: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Skipped:
    """No DStream code in it."""

    path: str


@dataclass(frozen=True)
class Failed:
    """Could not be handled and was left as it is; ``reason`` is one sentence without the path."""

    path: str
    reason: str
    findings: tuple[Finding, ...] = ()


Result: TypeAlias = Changed | Unchanged | Skipped | Failed


def by_place(findings: Iterable[Finding]) -> Iterator[Finding]:
    """In the order a reader meets them."""
    return iter(sorted(findings, key=lambda f: (f.path, f.cell or 0, f.span.start, f.code)))
