"""The report for programs."""

from __future__ import annotations

import json
from typing import Any

from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.judging.verdict import OutputVerdict

FORMAT = 1


def as_json(outcome: Verification) -> str:
    """An object with ``verdict`` (equal, different, not compared), why, and a list of outputs."""
    verdict = outcome.verdict
    words = {"EQUAL": "equal", "DIFFERENT": "different"}
    return (
        json.dumps(
            {
                "format": FORMAT,
                "job": outcome.job,
                "reference": outcome.reference,
                "compared": outcome.compared,
                "modernised": outcome.modernised,
                "verdict": words.get(verdict.kind.value, "not compared"),
                "why": verdict.why,
                "exit_code": verdict.exit_code,
                "sources": list(outcome.sources),
                "batches": list(verdict.times),
                "seconds": {side: list(times) for side, times in verdict.seconds.items()},
                "outputs": [_output(output) for output in verdict.outputs],
                "notes": list(verdict.notes),
                "test_file": outcome.test_file,
            },
            indent=2,
        )
        + "\n"
    )


def _output(output: OutputVerdict) -> dict[str, Any]:
    op, found = output.output, output.difference
    return {
        "operation": op.operation,
        "file": op.file,
        "line": op.line,
        "cell": op.cell,
        "name": op.name,
        "body": op.body,
        "cells": [cell.value for cell in output.cells],
        "counts": list(output.counts),
        "elements_compared": output.elements,
        "not_claimed": output.unstable,
        "notes": list(output.notes),
        "first_difference": None
        if found is None
        else {
            "batch": found.batch,
            "time": found.time,
            "what": found.what,
            "reference": found.expected,
            "ours": found.actual,
            "line_in_rewritten": found.ours.line if found.ours else None,
            "values": found.values,
        },
    }
