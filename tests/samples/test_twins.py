"""Every sample is complete: a job, its rewritten twin, batches to feed it, a line in the list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samples.catalogue import LEGACY, MIGRATED, ROOT, Reference, Sample, samples
from samples.twins import twins

SAMPLES = samples()
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_migrated_jobs_are_exactly_what_migrate_rewrite_gives() -> None:
    there = {path.name: path.read_bytes() for path in MIGRATED.iterdir() if path.is_file()}
    assert there == twins(), "run `python -m samples.twins`"


def test_a_twin_imports_nothing_of_the_legacy_engine() -> None:
    for path in MIGRATED.iterdir():
        assert b"pyspark.streaming" not in path.read_bytes(), path.name


def test_there_are_enough_of_them() -> None:
    assert len(SAMPLES) >= 16
    assert {sample.reference for sample in SAMPLES} == set(Reference)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_has_batches_an_empty_one_among_them(sample: Sample) -> None:
    if sample.batches.is_dir():
        batches = [path.read_text().splitlines() for path in recorded(sample.batches)]
    else:
        text = sample.batches.read_text(encoding="utf-8")
        batches = [json.loads(line) for line in text.splitlines()]
    assert len(batches) >= 3
    assert [] in batches
    assert any(len(batch) > 1 for batch in batches)


def recorded(directory: Path) -> list[Path]:
    return sorted(directory.glob("*/*/part-*"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_in_the_list_and_says_how_it_is_called(sample: Sample) -> None:
    assert f"`{sample.path.name}" in README
    if sample.path.suffix == ".py":
        assert sample.path.name in sample.path.read_text(encoding="utf-8") or not sample.arguments


def test_only_jobs_that_the_legacy_engine_never_had_are_without_a_legacy_form() -> None:
    for sample in SAMPLES:
        never = sample.reference in (Reference.JVM, Reference.EXPECTED)
        assert (sample.path.parent == LEGACY) is not never
