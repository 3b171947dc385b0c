"""What the documentation says is so: code compiles, examples run, links and names are right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark import SparkContext

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "samples/README.md",
]
RUN = "<!-- run -->"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; ``marked`` if the line in front of it says that it runs."""

    page: str
    line: int
    language: str
    text: str
    marked: bool

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(path: Path) -> Iterator[Block]:
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        opened = re.fullmatch(r"(\s*)```(\w*).*", lines[at])
        if opened is None:
            at += 1
            continue
        end = lines.index(f"{opened[1]}```", at + 1)
        inside = [line.removeprefix(opened[1]) for line in lines[at + 1 : end]]
        marked = at > 0 and lines[at - 1].strip() == RUN
        name = str(path.relative_to(ROOT))
        yield Block(name, at + 1, opened[2], "\n".join(inside), marked)
        at = end + 1


BLOCKS = {path: list(blocks_of(path)) for path in PAGES}
PYTHON = [block for blocks in BLOCKS.values() for block in blocks if block.language == "python"]
EXAMPLES = [
    (block, blocks[at + 1] if at + 1 < len(blocks) else None)
    for blocks in BLOCKS.values()
    for at, block in enumerate(blocks)
    if block.marked
]


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_python_code_compiles(block: Block) -> None:
    compile(block.text, str(block), "exec")


@pytest.mark.parametrize(("example", "output"), EXAMPLES, ids=str)
def test_examples_print_what_the_page_says(
    example: Block, output: Block | None, sc: SparkContext, capsys: pytest.CaptureFixture[str]
) -> None:
    assert output is not None
    assert output.language == "text", f"{example}: the next block should be what it prints"
    exec(compile(example.text, str(example), "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out.splitlines()
    expected = output.text.splitlines()
    assert printed[: len(expected)] == expected


def test_there_are_examples_that_run() -> None:
    assert {example.page for example, _ in EXAMPLES} >= {"docs/quickstart.md", "docs/sources.md"}


def anchors(path: Path) -> set[str]:
    """The ids that the site's table of contents gives to headings."""
    found = set()
    fence = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence ^= line.lstrip().startswith("```")
        heading = re.match(r"#+ (.+)", line)
        if heading and not fence:
            kept = re.sub(r"[^\w\s-]", "", heading[1]).strip().lower()
            found.add(re.sub(r"[-\s]+", "-", kept))
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        page = (path.parent / name) if name else path
        assert page.exists(), f"{path.name} links to {target}"
        if anchor:
            assert anchor in anchors(page), f"{path.name} links to {target}"


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        assert str(page.relative_to(ROOT / "docs")) in menu


def test_differences_have_ids_in_order_and_a_reason_each() -> None:
    text = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
    entries = re.split(r"^### ", text, flags=re.M)[1:]
    ids = [entry.split()[0] for entry in entries]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"D\d\d", name) for name in ids)
    for entry in entries:
        assert "*Reason:*" in entry, entry.splitlines()[0]


def test_the_map_of_modules_is_complete() -> None:
    text = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")
    table = text.partition("\n## Modules\n")[2].partition("\n## ")[0]
    package = ROOT / "dstream_compat"
    there = {str(path.relative_to(package)) for path in package.rglob("*.py")}
    named = set(re.findall(r"`([\w/]+\.py)`", table))
    assert named <= there
    assert {name for name in there - named if not name.endswith("/__init__.py")} == set()


def test_every_setting_that_is_read_is_documented() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    pattern = re.compile(r'"(spark\.(?:streaming|dstream_compat)\.[\w.]*\w)"')
    for path in (ROOT / "dstream_compat").rglob("*.py"):
        for setting in pattern.findall(path.read_text(encoding="utf-8")):
            assert f"`{setting}`" in page, f"{setting}, read in {path.name}"
