"""``assert_equal``: a verification as a test."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import sides
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import Feed, FeedInput, lines_of
from dstream_parity.verify.judging.verdict import VerdictKind
from dstream_parity.verify.report.as_text import as_text
from dstream_parity.verify.sampling.saved_test import digest_of


def assert_equal(
    job: str,
    batches: Mapping[str, Sequence[Sequence[Any]]],
    *,
    samples: Mapping[str, tuple[str, str]] | None = None,
    arguments: Sequence[str] = (),
    beside: str | None = None,
    **options: Any,
) -> None:
    """Fail unless ``job`` gives the same on both engines.

    ``batches``: the lines of each batch, by the number of the source; with ``samples``, a file and
    its digest by source, they are line numbers. Paths are relative to the file ``beside``. Options
    are those of ``migrate verify``: ``run_outputs=True``, ``prelude="stubs.py"`` …
    """
    home = os.path.dirname(os.path.abspath(beside)) if beside else os.getcwd()
    for name in ("rewritten", "prelude"):
        if options.get(name):
            options[name] = os.path.join(home, options[name])
    request = Request(os.path.join(home, job), tuple(arguments), **options)
    inputs = []
    try:
        for key, column in batches.items():
            lines = _lines(home, *samples[key]) if samples else None
            taken = [[line if lines is None else lines[line] for line in batch] for batch in column]
            inputs.append(FeedInput((str(key),), "lines", tuple(taken)))
        with sides(request) as both:
            outcome = both.verify_feed(Feed(tuple(inputs)))
    except Refused as refused:
        raise AssertionError(f"COULD NOT BE COMPARED: {refused}") from None
    if outcome.verdict.kind is not VerdictKind.EQUAL:
        raise AssertionError("\n" + as_text(outcome))


def _lines(home: str, path: str, digest: str) -> list[str]:
    with open(os.path.join(home, path), "rb") as file:
        lines = lines_of(file.read())
    if digest_of(lines) != digest:
        raise Refused(f"{path} has changed since this test was generated: generate it again")
    return lines
