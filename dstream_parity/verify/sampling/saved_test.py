"""Examples that differ, saved as a test: without values, unless those were asked for."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dstream_parity.verify.coordinator.request import Request

_OPTIONS = ("rewritten", "prelude", "shell", "run_outputs", "ordered")
_PATHS = ("rewritten", "prelude")


@dataclass(frozen=True)
class Sample:
    """A file whose lines examples are made of; ``key``: the source it is for, None: all."""

    key: str | None
    path: str
    lines: tuple[str, ...]

    @cached_property
    def by_length(self) -> list[int]:
        """The numbers of its different lines, short ones first."""
        first = {line: number for number, line in reversed(list(enumerate(self.lines)))}
        return sorted(first.values(), key=lambda number: (len(self.lines[number]), number))

    def take(self, numbers: Sequence[int]) -> list[str]:
        return [self.lines[number] for number in numbers]

    @property
    def digest(self) -> str:
        return digest_of(self.lines)


def digest_of(lines: Sequence[str]) -> str:
    """What tells that a sample is still the one that a test was made from."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def test_source(
    request: Request,
    path: str,
    stem: str,
    columns: Mapping[str, tuple[Sample, Sequence[Sequence[int]]]],
) -> str:
    """A test module; its batches are numbers of lines of the samples, or the lines themselves."""
    here = os.path.dirname(os.path.abspath(path))

    def beside(other: str) -> str:
        return os.path.relpath(os.path.abspath(other), here)

    options = {name: getattr(request, name) for name in _OPTIONS if getattr(request, name)}
    for name in _PATHS:
        if name in options:
            options[name] = beside(options[name])
    shown = request.show_values
    lines = [
        f'"""Batches on which the engines differed for {os.path.basename(request.job)}; made by',
        '`migrate verify --sample`."""',
        "",
        "import os",
        "import shlex",
        "",
        "from dstream_parity.verify.sampling.checking import assert_equal",
        "",
        f"JOB = {beside(request.job)!r}",
    ]
    if shown:
        lines.append(f"ARGUMENTS = {list(request.arguments)!r}")
    else:
        lines += [
            "# The arguments of the job are not written down here: they may hold secrets.",
            'ARGUMENTS = shlex.split(os.environ.get("JOB_ARGUMENTS", ""))',
        ]
    if not shown:
        lines += ["# By source: a file, and what tells whether it has changed.", "SAMPLES = {"]
        for key, (sample, _) in columns.items():
            lines.append(f"    {key!r}: ({beside(sample.path)!r}, {sample.digest!r}),")
        lines += ["}", "# By source: the lines of each batch, as numbers of lines (from 0)."]
    lines.append("BATCHES = {")
    for key, (sample, batches) in columns.items():
        shown_batches = [sample.take(batch) if shown else list(batch) for batch in batches]
        lines.append(f"    {key!r}: {shown_batches!r},")
    name = "".join(c if c.isalnum() else "_" for c in stem).lower()
    more = "" if shown else "samples=SAMPLES, "
    given = "".join(f", {key}={value!r}" for key, value in options.items())
    lines += [
        "}",
        "",
        "",
        f"def test_{name}_is_equal_on_both_engines():",
        f"    assert_equal(JOB, BATCHES, {more}arguments=ARGUMENTS, beside=__file__{given})",
        "",
    ]
    if shown:
        lines = [line for line in lines if line not in ("import os", "import shlex")]
    return "\n".join(lines)
