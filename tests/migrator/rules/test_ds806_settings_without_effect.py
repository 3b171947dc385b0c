"""DS806: settings of the legacy engine in scripts and settings files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrator.rules._settings import PREFIX, WITHOUT_EFFECT
from tests.migrator.rules.around import check_examples, check_lines

SETTINGS = Path(__file__).parents[3] / "docs/settings.md"


def test_the_examples_are_true() -> None:
    check_examples("DS806")


def test_the_settings_are_those_of_the_documentation() -> None:
    page = SETTINGS.read_text(encoding="utf-8")
    table = page.partition("## Legacy settings without effect")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {PREFIX + name for name in WITHOUT_EFFECT} == set(
        re.findall(r"`(spark\.[\w.]+)`", "".join(cells))
    )


@pytest.mark.parametrize("name", [PREFIX + name for name in WITHOUT_EFFECT])
def test_each_is_found_wherever_settings_are_given(name: str) -> None:
    check_lines("DS806", f"{name}  true\n", 1)
    check_lines("DS806", f"spark-submit --conf {name}=true job.py\n", 1)
    check_lines("DS806", f'conf:\n  "{name}": "true"\n', 2)


@pytest.mark.parametrize(
    "line",
    [
        "spark.streaming.blockInterval 100ms",
        "spark.streaming.backpressure.enabled true",
        "spark.streaming.unpersistSomething true",
        "# spark.streaming.concurrentJobs 4",
    ],
)
def test_others_are_left_alone(line: str) -> None:
    check_lines("DS806", line + "\n")
