"""The pages of the rules are made from their modules; `migrate explain`, `migrate rules`."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from migrator import rules
from migrator.cli import migrate
from migrator.rules import _pages

DOCS = Path(__file__).parents[3] / "docs"


def test_the_pages_are_up_to_date() -> None:
    wanted = _pages.pages(DOCS)
    there = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "rules").glob("*.md")}
    stale = {name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name)}
    assert stale == set(), "run `python -m migrator.rules._pages`"


def test_links_to_differences_have_anchors() -> None:
    for text in _pages.pages(DOCS).values():
        assert not re.search(r"differences\.md#\)", text)
        for id in re.findall(r"\[(D\d+)\]\((?!\.\./differences\.md#d\d+-)", text):
            pytest.fail(f"{id} leads nowhere")


def test_writing_changes_what_is_stale_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "differences.md").write_text((DOCS / "differences.md").read_text(encoding="utf-8"))
    assert len(_pages.write(tmp_path)) == len(rules.rules()) + 1
    assert _pages.write(tmp_path) == []
    (tmp_path / "rules/DS999.md").write_text("gone")
    (tmp_path / "rules/DS301.md").write_text("old")
    assert _pages.write(tmp_path) == ["DS999.md", "DS301.md"]


def test_explain_says_why_and_what_to_do() -> None:
    result = CliRunner().invoke(migrate, ["explain", "DS301"])
    assert result.exit_code == 0
    assert result.stdout.startswith("DS301 no-such-method\n")
    assert "\nWhy\n" in result.stdout
    assert "\nWhat to do\n" in result.stdout
    assert "sortByKey" in result.stdout


@pytest.mark.parametrize("name", ["ds301", "no-such-method", "No-Such-Method"])
def test_explain_takes_codes_and_names_in_any_case(name: str) -> None:
    result = CliRunner().invoke(migrate, ["explain", name])
    assert result.stdout.startswith("DS301")


def test_explain_takes_several_codes() -> None:
    result = CliRunner().invoke(migrate, ["explain", "DS301", "DS302"])
    assert "\n\nDS302 arguments-do-not-fit\n" in result.stdout


def test_explain_of_an_unknown_code_is_a_usage_error_with_a_hint() -> None:
    result = CliRunner().invoke(migrate, ["explain", "no-such-methods"])
    assert result.exit_code == 2
    assert "there is no rule no-such-methods; did you mean DS301?" in result.stderr


def test_explain_has_no_traceback_for_nonsense() -> None:
    result = CliRunner().invoke(migrate, ["explain", "🙂"])
    assert result.exit_code == 2
    assert "`migrate rules` lists them." in result.stderr


def test_every_rule_can_be_explained() -> None:
    result = CliRunner().invoke(migrate, ["explain", *rules.rules()])
    assert result.exit_code == 0
    assert all(f"{code} " in result.stdout for code in rules.rules())


def test_rules_lists_all_of_them_by_family() -> None:
    result = CliRunner().invoke(migrate, ["rules"])
    assert re.findall(r"^  (DS\d+) ", result.stdout, re.MULTILINE) == list(rules.rules())
    assert "\nsources\n" in result.stdout


def test_rules_of_one_family() -> None:
    result = CliRunner().invoke(migrate, ["rules", "--family", "state"])
    codes = re.findall(r"^  (DS\d+) ", result.stdout, re.MULTILINE)
    assert codes == [code for code in rules.rules() if code.startswith("DS4")]


def test_rules_as_json() -> None:
    result = CliRunner().invoke(migrate, ["rules", "-f", "json"])
    listed = json.loads(result.stdout)
    assert [rule["code"] for rule in listed] == list(rules.rules())
    assert listed[0].keys() >= {"name", "family", "severity", "readiness", "fix", "differences"}
