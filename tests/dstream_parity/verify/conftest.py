"""Processes for both engines, shared by all tests of a file because starting Spark takes time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.verification import Children, Verification, children, verify

JOBS = Path(__file__).parent / "jobs"

Verify = Callable[..., Verification]


@pytest.fixture(scope="module")
def both() -> Iterator[Children]:
    with children() as made:
        yield made


@pytest.fixture
def on_both(both: Children) -> Verify:
    """``migrate verify`` of one of our jobs, without its command line."""

    def run(job: str, *arguments: str, **options: Any) -> Verification:
        for name in ("rewritten", "prelude"):
            if name in options:
                options[name] = str(JOBS / options[name])
        return verify(Request(str(JOBS / job), arguments, **options), using=both)

    return run


@pytest.fixture
def text_batches(tmp_path: Path) -> Callable[..., str]:
    """A directory with a text file per batch."""

    def write(*batches: str) -> str:
        directory = tmp_path / "batches"
        directory.mkdir()
        for number, text in enumerate(batches):
            (directory / f"{number:03}.txt").write_text(text, encoding="utf-8")
        return str(directory)

    return write
