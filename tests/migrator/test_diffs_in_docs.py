"""The diffs in docs/rewrite.md are what the migrator does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrator import rules
from migrator.core import Changed
from migrator.documents import open_document
from migrator.inference import analyse
from migrator.rewriting import rewrite

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
DIFFS = BLOCK.findall((ROOT / "docs/rewrite.md").read_text("utf-8"))
USES = "print(StreamingContext, StreamingListener, KafkaUtils, TP, streaming, SparkContext)\n"
"""So that nothing is deleted for want of a reader."""


def side(block: str, sign: str) -> str:
    lines = [line for line in block.splitlines() if line[:1] in ("", " ", sign)]
    return "".join(f"{line[1:]}\n" for line in lines)


@pytest.mark.parametrize("block", DIFFS)
def test_a_diff_is_what_rewriting_gives(block: str) -> None:
    document = open_document("job.py", (side(block, "-") + USES).encode())
    project = analyse([document.source])
    result = rewrite(document, rules.findings(project.modules["job.py"], project))
    assert isinstance(result, Changed)
    assert result.after.decode() == side(block, "+") + USES


def test_there_are_diffs() -> None:
    assert len(DIFFS) == 4
