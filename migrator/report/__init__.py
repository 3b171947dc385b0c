"""What a run found, for people and for programs: text, JSON, SARIF 2.1.0, HTML."""

from __future__ import annotations

import importlib
import os
from typing import Literal, TypeAlias, get_args

from migrator.run.running import Report

Format: TypeAlias = Literal["text", "json", "sarif", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)


def format_for(path: str | None) -> Format:
    """The format that a file's name asks for; text if it asks for none."""
    suffix = os.path.splitext(path or "")[1].lower().lstrip(".")
    return "html" if suffix == "htm" else next((f for f in FORMATS if f == suffix), "text")


def render(report: Report, format: Format) -> str:
    """The report as text. :mod:`migrator.report.text` has further options for terminals."""
    made: str = importlib.import_module(f"{__name__}.{format}").render(report)
    return made
