"""Findings as a reader of the file sees them: in cells, in lines of Python 2."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from migrator.core import Finding
from migrator.text.documents import Document


def located(document: Document, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings with their places in the file, not in the source that was analysed."""
    return tuple(replace(f, **vars(document.place(f.span))) for f in findings)
