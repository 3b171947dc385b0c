"""Every command on a page runs, and prints what the page says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import click
import pytest
import yaml

from dstream_compat import offsets
from dstream_parity.verify.coordinator.verification import Children, children
from migrator.cli import migrate
from tests.docs.blocks import BLOCKS, COMMANDS, PAGES, ROOT, Block, Command, commands_of, of
from tests.docs.elsewhere import ELSEWHERE, NOT_RUN, reason
from tests.docs.shell import Shell, assert_shown, make_repository, set_up

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with ExitStack() as stack:
        made: list[Children] = []

        def both() -> Children:
            if not made:
                made.append(stack.enter_context(children()))
            return made[0]

        yield Shell(tmp_path_factory.mktemp("programs"), both)


def runs_in(workflow: Block) -> Iterator[Command]:
    for job in yaml.safe_load(workflow.text)["jobs"].values():
        yield from (Command(workflow, step["run"]) for step in job["steps"] if "run" in step)


WORKFLOWS = [block for block in of("yaml") if re.search("^jobs:", block.text, re.M)]
LISTS = {
    **{block: list(commands_of(block)) for block in of("console")},
    **{block: list(runs_in(block)) for block in WORKFLOWS},
}
ALL = [command for commands in LISTS.values() for command in commands]


@pytest.mark.parametrize("block", LISTS, ids=str)
def test_commands_print_what_the_page_says(block: Block, shell: Shell, tmp_path: Path) -> None:
    """The commands of a block run one after the other in one directory."""
    desk = set_up(tmp_path / "desk")
    if block in WORKFLOWS:
        shutil.rmtree(desk / "samples")  # as in a user's repository
    if "$ git " in block.text:
        make_repository(desk)
    for command in LISTS[block]:
        if reason(command) is None:
            done = shell.run(command, desk)
            assert done.code in codes(command), f"{command}\n{done.output}"
            if command.shown:
                assert_shown(command.shown, done.output)


def codes(command: Command) -> tuple[int, ...]:
    """Allowed exit codes: jobs are equal unless the page says otherwise; findings may occur."""
    if any(line.startswith("DIFFERENT") for line in command.shown):
        return (1,)
    return (0, 1) if command.words[:2] in FINDING else (0,)


FINDING = [["migrate", "scan"], ["migrate", "rewrite"]]


def test_nothing_is_left_out_without_need() -> None:
    lines = [" ".join(command.words) for command in ALL]
    for begin in [*ELSEWHERE, *NOT_RUN]:
        assert any(line.startswith(begin) for line in lines), f"no page has {begin}"
    for test in ELSEWHERE.values():
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


@pytest.mark.parametrize("printed", ["", "a\n", "a\nc\n", "a\nb\nc\nd\n"])
def test_output_that_is_not_shown_is_a_failure(printed: str) -> None:
    assert_shown(("a", "…", "c"), "a\nb\nb\nc\n")
    with pytest.raises(AssertionError, match="the page shows"):
        assert_shown(("a", "b", "c"), printed)


def test_versions_and_times_may_be_others() -> None:
    assert_shown(
        ("pyspark 4.3.0", "Time: 2026-01-01 00:00:00"), "pyspark 4.4.1\nTime: 2027-02-03 01:02:03\n"
    )


# -- commands that are only mentioned, or cannot be run ------------------------------------


def mentioned() -> Iterator[tuple[str, list[str]]]:
    """Commands in the middle of a sentence or a table."""
    for path in PAGES:
        text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
        for code in re.findall(r"`((?:migrate|make|python -m|pip install) [^`]+)`", text):
            yield str(path.relative_to(ROOT)), Command(BLOCKS[0], code).words


MENTIONED = list(mentioned())
NAMED = [*MENTIONED, *((str(command.block), command.words) for command in ALL)]
MODULES = {"dstream_compat", "migrator.rules._pages", "pytest", "samples.demo", "samples.twins"} | {
    "samples.verify",
    "scripts.reference",
}


@pytest.mark.parametrize(("page", "words"), NAMED, ids=lambda value: str(value))
def test_commands_exist_with_the_options_they_are_given(page: str, words: list[str]) -> None:
    if words[0] == "migrate" and words[1] != "COMMAND":
        parse(migrate, "migrate", words[1:])
    elif words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.M)
        assert {word for word in words[1:] if "=" not in word} <= set(targets)
    elif words[:2] == ["python", "-m"] and words[2] == "dstream_compat.offsets":
        parse(offsets.main, "offsets", words[3:]) if words[3:] else None
    elif words[:2] == ["python", "-m"]:
        assert words[2] in MODULES
    elif words[:2] == ["pip", "install"]:
        known = set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), flags=re.M))
        for word in words[2:]:
            assert set(re.findall(r"\[(\w+)\]", word)) <= known


def parse(group: click.Group, name: str, words: list[str]) -> None:
    context = click.Context(group, info_name=name)
    called, found, rest = group.resolve_command(context, words)
    assert found is not None
    inner = click.Context(found, info_name=called, parent=context)
    found.make_parser(inner).parse_args(rest)


def test_the_connector_on_the_pages_is_the_one_that_is_tested() -> None:
    from tests.servers import jars

    for command in COMMANDS:
        for coordinate in re.findall(r"--packages (\S+)", command.line):
            assert coordinate in {jars._connector(version) for version in ("4.2.0", "4.3.0")}
