"""The diffs on the pages are what the migrator does."""

from __future__ import annotations

import pytest

from migrator import rules
from migrator.core import Changed
from migrator.model.inference import analyse
from migrator.run.rewriting import rewrite
from migrator.text.opening import open_document
from tests.docs.blocks import Block, of

USES = "uses = (StreamingContext, StreamingListener, KafkaUtils, TP, streaming, SparkContext)\n"
"""Uses the imported names, so that no import is deleted as unused."""


def side(block: Block, sign: str) -> str:
    lines = [line for line in block.text.splitlines() if line[:1] in ("", " ", sign)]
    return "".join(f"{line[1:]}\n" for line in lines)


@pytest.mark.parametrize("block", of("diff"), ids=str)
def test_a_diff_is_what_rewriting_gives(block: Block) -> None:
    document = open_document("job.py", (side(block, "-") + USES).encode(), python2=True)
    project = analyse([document.source])
    result = rewrite(document, rules.findings(project.modules["job.py"], project))
    assert isinstance(result, Changed)
    assert result.after.decode() == side(block, "+") + USES
