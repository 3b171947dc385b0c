"""The verdict for people, for programs, and to pass around."""

from __future__ import annotations

import os
import sys

from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.report.as_html import as_html
from dstream_parity.verify.report.as_json import as_json
from dstream_parity.verify.report.as_text import as_text
from migrator.files.writing import CannotWrite, create


def write_reports(outcome: Verification, request: Request) -> None:
    """Text to standard output, JSON and HTML to the files asked for; raises Refused.

    ``--json -`` prints JSON instead of the text.
    """
    if request.json == "-":
        sys.stdout.write(as_json(outcome))
    else:
        sys.stdout.write(as_text(outcome, colours=_colours()))
        if request.json is not None:
            write(request.json, as_json(outcome))
    if request.html is not None:
        write(request.html, as_html(outcome))


def write(path: str, text: str) -> None:
    """Write a file all at once or not at all; raises Refused if it cannot be written."""
    try:
        create(path, text.encode())
    except CannotWrite as error:
        raise Refused(f"{path} {error}") from None


def _colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
