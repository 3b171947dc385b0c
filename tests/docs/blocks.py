"""The fenced blocks of all pages, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "samples/README.md",
]
_MARK = re.compile(r"<!-- with: ([a-z ]+) -->")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str
    setup: str | None = None
    """The name in a comment on the line before it: ``<!-- with: NAME -->``."""
    shown: tuple[str, ...] | None = None
    """What a snippet prints, if the next block says so and nothing is in between."""
    printed: bool = False
    """Whether a text is what the snippet before it prints."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A line of a console block that starts with ``$``, and the output below it."""

    block: Block
    line: str
    shown: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line, comments=True)

    def __str__(self) -> str:
        return f"{self.block}: {self.line}"


def blocks_of(path: Path) -> Iterator[Block]:
    lines = path.read_text(encoding="utf-8").splitlines()
    name = str(path.relative_to(ROOT))
    before: Block | None = None
    at = 0
    while at < len(lines):
        opened = re.fullmatch(r"(\s*)```(\w*).*", lines[at])
        if opened is None:
            if lines[at].strip() and before is not None:
                yield before
                before = None
            at += 1
            continue
        end = lines.index(f"{opened[1]}```", at + 1)
        inside = [line.removeprefix(opened[1]) for line in lines[at + 1 : end]]
        mark = _MARK.fullmatch(lines[at - 1].strip()) if at else None
        block = Block(name, at + 1, opened[2], "\n".join(inside), mark[1] if mark else None)
        if before is not None:
            if (before.language, block.language) == ("python", "text"):
                before, block = replace(before, shown=tuple(inside)), replace(block, printed=True)
            yield before
        before = block
        at = end + 1
    if before is not None:
        yield before


def commands_of(block: Block) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        line, *output = part.splitlines()
        yield Command(block, line, tuple(output))


BLOCKS = [block for path in PAGES for block in blocks_of(path)]


def of(language: str) -> list[Block]:
    """All hand-written blocks of a language. Rule pages are generated from tested examples."""
    found = [block for block in BLOCKS if block.language == language]
    return [block for block in found if not block.page.startswith("docs/rules/")]


COMMANDS = [command for block in of("console") for command in commands_of(block)]
