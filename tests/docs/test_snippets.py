"""Every Python snippet on a page runs, and prints what the page says."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from pyspark import SparkContext

from tests.docs.blocks import ROOT, Block, of
from tests.docs.scenes import Scene
from tests.docs.setups import ELSEWHERE, SETUPS

pytestmark = pytest.mark.timeout(300)

SNIPPETS = of("python")


def scenes(among: list[Block]) -> list[list[Block]]:
    """Snippets that are run together: those of a page with the same setup."""
    alone = [[block] for block in among if block.setup is None]
    marked = sorted((b for b in among if b.setup), key=lambda b: (b.page, b.setup, b.line))
    return alone + [list(found) for _, found in groupby(marked, lambda b: (b.page, b.setup))]


HERE = [block for block in SNIPPETS if block.setup not in ELSEWHERE]


@pytest.mark.parametrize(
    "blocks", scenes(HERE), ids=lambda blocks: f"{blocks[0]} {blocks[0].setup or ''}"
)
def test_snippets_do_what_the_page_says(
    blocks: list[Block], sc: SparkContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert blocks[0].setup in SETUPS, f"{blocks[0]}: there is no setup {blocks[0].setup}"
    SETUPS[blocks[0].setup](Scene(blocks, sc, tmp_path, monkeypatch))


def test_no_setup_is_without_a_snippet() -> None:
    assert {block.setup for block in SNIPPETS} == {*SETUPS, *ELSEWHERE}


@pytest.mark.parametrize("setup", ELSEWHERE)
def test_what_runs_elsewhere_is_run_there(setup: str) -> None:
    text = (ROOT / ELSEWHERE[setup]).read_text(encoding="utf-8")
    for block in SNIPPETS:
        if block.setup == setup:
            first = block.text.splitlines()[0]
            assert f'"{setup}"' in text or first in text, block
