"""What the migrator says about code: findings, fixes, and what became of a file. No I/O."""

from __future__ import annotations

import ast
import enum
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

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
    """The job does not run, or gives other data."""

    def __str__(self) -> str:
        return self.name.lower()


class Confidence(enum.Enum):
    """How the migrator knows."""

    SURE = "sure"
    """Followed from an import or a constructor to here."""
    LIKELY = "likely"
    """Followed through something that may be otherwise at run time: a parameter, an attribute."""
    GUESS = "guess"
    """Only the shape of the code says so."""

    __hash__ = object.__hash__  # an enum's own is slow

    def __str__(self) -> str:
        return self.value


class Safety(enum.Enum):
    """What is known of a fix."""

    SAFE = "safe"
    """The job does the same; a parity property stands behind it. Applied by default."""
    UNSAFE = "unsafe"
    """Needs somebody to look at it; applied with --unsafe-fixes."""

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
    """What lies around a job: scripts, images, requirements, settings."""
    ANALYSIS = 9
    """What could not be parsed or followed."""

    def __str__(self) -> str:
        return "Python 2" if self is Family.PYTHON2 else self.name.lower()


@dataclass(frozen=True)
class Fix:
    """Edits that belong together: all of them or none."""

    edits: tuple[Edit, ...]
    safety: Safety = Safety.SAFE


@dataclass(frozen=True)
class Finding:
    """Something a rule has to say about one place. Never holds a value from the user's code."""

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
    """The way out: one sentence, without a full stop."""
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
    """Where it is found; empty: anywhere."""


@dataclass(frozen=True)
class Rule:
    """What all findings of one code share. A rule's module ends with its function ``check``."""

    code: str
    name: str
    """Kebab case, unique."""
    summary: str
    """One sentence for lists."""
    severity: Severity
    readiness: Readiness
    fix: Safety | None = None
    """The safety of its fixes, if it has any."""
    differences: tuple[str, ...] = ()
    """Ids in docs/differences.md that it reports."""

    @property
    def family(self) -> Family:
        return Family(int(self.code[2]))

    def finding(
        self,
        source: PythonSource,
        where: ast.AST | Span,
        message: str,
        help: str,
        *,
        fix: Fix | None = None,
        confidence: Confidence = Confidence.SURE,
        severity: Severity | None = None,
        readiness: Readiness | None = None,
    ) -> Finding:
        """A finding at a node (its first line if it has many) or a span.

        A guess is never more than a hint: its severity is info, and its job unknown at worst.
        """
        severity = self.severity if severity is None else severity
        readiness = self.readiness if readiness is None else readiness
        if confidence is Confidence.GUESS:
            severity = Severity.INFO
            readiness = readiness and Readiness.UNKNOWN
        span = where if isinstance(where, Span) else source.span(where)
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
            message,
            help,
            severity,
            readiness,
            confidence,
            fix,
        )


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
