"""What the documentation says is so: code compiles, examples run, links and names are right."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest
from pyspark import SparkContext

from migrator.cli import migrate
from scripts import reference

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
    if block.marked and block.language == "python"
]
CONSOLE = [block for blocks in BLOCKS.values() for block in blocks if block.language == "console"]


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the output that the page shows."""

    page: str
    words: tuple[str, ...]
    output: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: {' '.join(self.words)}"


def commands_of(block: Block) -> Iterator[Command]:
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        line, *output = part.splitlines()
        yield Command(str(block), tuple(shlex.split(line, comments=True)), tuple(output))


COMMANDS = [command for block in CONSOLE for command in commands_of(block)]
RUN_COMMANDS = [block for block in CONSOLE if block.marked]


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


@pytest.mark.parametrize("block", RUN_COMMANDS, ids=str)
def test_commands_print_what_the_page_says(block: Block, tmp_path: Path) -> None:
    """Beside a copy of the samples. Only what needs no Spark; "…" stands for any lines."""
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    for command in commands_of(block):
        assert command.words[0] == "migrate", f"{command} cannot be run here"
        done = subprocess.run(
            [sys.executable, "-m", "migrator", *command.words[1:]],
            cwd=tmp_path,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
        )
        assert done.returncode in (0, 1), f"{command}\n{done.stdout}"
        assert_shown(command.output, tuple(done.stdout.splitlines()))


def assert_shown(expected: tuple[str, ...], printed: tuple[str, ...]) -> None:
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in expected
    )
    text = "".join(f"{line}\n" for line in printed)
    assert re.fullmatch(pattern, text) is not None, f"expected\n{expected}\nprinted\n{text}"


@pytest.mark.parametrize("printed", [(), ("a",), ("a", "c"), ("a", "b", "c", "d")])
def test_output_that_is_not_shown_is_a_failure(printed: tuple[str, ...]) -> None:
    assert_shown(("a", "…", "c"), ("a", "b", "b", "c"))
    with pytest.raises(AssertionError, match="expected"):
        assert_shown(("a", "b", "c"), printed)


@pytest.mark.parametrize("command", COMMANDS, ids=str)
def test_commands_exist_with_the_options_they_are_given(command: Command) -> None:
    words = [word for word in command.words if "=" not in word or word.startswith("-")]
    if words[0] == "migrate":
        context = click.Context(migrate, info_name="migrate")
        name, found, rest = migrate.resolve_command(context, words[1:])
        assert found is not None
        inner = click.Context(found, info_name=name, parent=context)
        found.make_parser(inner).parse_args(rest)
    elif words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M)
        assert {word for word in words[1:] if "=" not in word} <= set(targets)
    elif "-m" in words:
        module = words[words.index("-m") + 1]
        assert module in {
            "dstream_compat",
            "dstream_compat.offsets",
            "pytest",
            "samples.demo",
            "samples.verify",
        }
    for word in words:
        if word.startswith("samples/"):
            assert (ROOT / word).exists(), f"{command}: there is no {word}"


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_what_the_code_says(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == reference.PAGES[name](), "run `python -m scripts.reference`"


def test_there_are_examples_that_run() -> None:
    assert {block.page for block in RUN_COMMANDS} >= {"docs/quickstart.md", "docs/guide.md"}
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
    index = (ROOT / "docs" / "rules" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = str(page.relative_to(ROOT / "docs"))
        assert name in menu or (name.startswith("rules/DS") and f"({page.name})" in index)


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
