"""The verdict for people, for programs, and to hand around."""

from __future__ import annotations

import os
import sys
import tempfile

from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.report.as_html import as_html
from dstream_parity.verify.report.as_json import as_json
from dstream_parity.verify.report.as_text import as_text


def write_reports(outcome: Verification, request: Request) -> None:
    """Text to standard output; JSON and HTML to the files that were asked for.

    ``--json -`` puts JSON in the place of the text.
    """
    if request.json == "-":
        sys.stdout.write(as_json(outcome))
    else:
        sys.stdout.write(as_text(outcome, colours=_colours()))
        if request.json is not None:
            write_atomically(request.json, as_json(outcome))
    if request.html is not None:
        write_atomically(request.html, as_html(outcome))


def write_atomically(path: str, text: str) -> None:
    """All of it or nothing: a reader never sees half a file."""
    directory = os.path.dirname(os.path.abspath(path))
    handle, draft = tempfile.mkstemp(dir=directory, prefix=".verify-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(draft, 0o666 & ~umask)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise


def _colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
