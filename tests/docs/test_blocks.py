"""A test checks every block of every page; the language decides which test."""

from __future__ import annotations

import itertools
from operator import add
from pathlib import Path
from typing import Any

import pytest
import yaml

from dstream_compat import DStream
from dstream_parity import ParityError, assert_parity, replay
from migrator.run import config
from scripts import reference
from tests.docs.blocks import BLOCKS, ROOT, Block, blocks_of, of
from tests.docs.elsewhere import DRAWINGS

TESTED = {
    "python": "test_snippets.py",
    "console": "test_commands.py",
    "diff": "test_diffs.py",
    "text": "here",
    "toml": "here",
    "yaml": "here; the commands in it by test_commands.py",
}


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_of_a_language_that_is_tested(block: Block) -> None:
    assert block.language in TESTED


def test_a_console_block_begins_with_a_command() -> None:
    for block in of("console"):
        assert block.text.startswith("$ "), block


def test_a_text_is_what_something_prints() -> None:
    """Except for a few drawings."""
    made = {f"docs/{name}" for name in reference.PAGES}
    texts = [b for b in of("text") if not b.printed and b.page not in made]
    texts = [b for b in texts if not b.text.startswith("ParityError")]
    assert {
        page: len(list(found)) for page, found in itertools.groupby(texts, lambda b: b.page)
    } == DRAWINGS


def test_a_failure_reads_as_the_page_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """On lists, with an engine whose reduceByKey returns the first value instead of the sum."""
    (block,) = [block for block in of("text") if block.text.startswith("ParityError")]
    reduce_by_key = DStream.reduceByKey

    def replayed(pipeline: Any, batches: Any, engine: str, **options: Any) -> Any:
        del options["sc"], options["timeout"]
        with monkeypatch.context() as patched:
            if engine == "compat":
                wrong = lambda stream, function: reduce_by_key(stream, lambda a, b: a)  # noqa: E731
                patched.setattr(DStream, "reduceByKey", wrong)
            return replay(pipeline, batches, "in-process", **options)

    monkeypatch.setattr("dstream_parity.parity.replay", replayed)

    def pipeline(ssc, inputs):
        return [inputs[0].reduceByKey(add)]

    with pytest.raises(ParityError) as failure:
        assert_parity(pipeline, [[[]], [[[("a", 1), ("b", 1)], [("a", 1)]]], [[]]])
    assert f"ParityError: {failure.value}" == block.text


@pytest.mark.parametrize("block", of("toml"), ids=str)
def test_settings_are_accepted(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(block.text, encoding="utf-8")
    assert config.read(str(file)).ignore


@pytest.mark.parametrize("block", of("yaml"), ids=str)
def test_yaml_is_a_workflow_or_names_hooks_that_exist(block: Block) -> None:
    read = yaml.safe_load(block.text)
    if "repos" in read:
        hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
        named = {hook["id"] for repo in read["repos"] for hook in repo["hooks"]}
        assert named <= {hook["id"] for hook in hooks}
    else:
        for job in read["jobs"].values():
            assert job["runs-on"]
            assert all(("uses" in step) != ("run" in step) for step in job["steps"])


def test_markers_and_outputs_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.docs.blocks.ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- with: a thing -->\n```python\nprint(1)\n```\n\n```text\n1\n```\n"
        "and\n\n```text\n2\n```\n"
    )
    snippet, output, other = blocks_of(page)
    assert (snippet.setup, snippet.shown) == ("a thing", ("1",))
    assert (output.printed, other.printed) == (True, False)
