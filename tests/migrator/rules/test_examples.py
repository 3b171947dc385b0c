"""The examples in every rule's module are true, and every rule is documented and numbered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from migrator import rules
from migrator.core import Example, Readiness, Severity
from tests.migrator.rules import check_found, check_noop, check_rewritten, findings

ROOT = Path(__file__).resolve().parents[3]
DIFFERENCES = (ROOT / "docs/differences.md").read_text(encoding="utf-8")
IDS = set(re.findall(r"^### (D\d+) ", DIFFERENCES, re.MULTILINE))

RULES = {code: rule for code, rule in rules.rules().items() if rule.family.value != 8}
"""Without those about what lies around a job: they look at other files."""
VALID = [(code, text) for code in RULES for text in rules.examples(code)[0]]
INVALID = [(code, example) for code in RULES for example in rules.examples(code)[1]]


@pytest.mark.parametrize(("code", "text"), VALID, ids=[code for code, _ in VALID])
def test_a_rule_finds_nothing_in_its_valid_examples(code: str, text: str) -> None:
    check_noop(code, text)


@pytest.mark.parametrize(("code", "example"), INVALID, ids=[code for code, _ in INVALID])
def test_a_rule_finds_something_in_its_invalid_examples(code: str, example: Example) -> None:
    if example.lines:
        check_found(code, example.before, *example.lines)
    else:
        assert findings(example.before, code)
    if example.after is not None:
        check_rewritten(example.before, example.after)


@pytest.mark.parametrize("code", RULES)
def test_a_rule_has_an_example_of_each_kind(code: str) -> None:
    valid, invalid = rules.examples(code)
    assert valid
    assert invalid or code in ("DS108", "DS901", "DS904")


@pytest.mark.parametrize("code", rules.rules())
def test_a_rule_has_one_module_one_test_file_and_a_page(code: str) -> None:
    module = rules.modules()[code].__name__.rpartition(".")[2]
    assert re.fullmatch(rf"{code.lower()}_[a-z0-9_]+", module)
    assert (Path(__file__).parent / f"test_{module}.py").exists()
    assert (ROOT / f"docs/rules/{code}.md").exists()


@pytest.mark.parametrize("code", rules.rules())
def test_a_rule_says_why_and_what_to_do(code: str) -> None:
    page = rules.modules()[code].__doc__ or ""
    assert re.search(r"^## Why\n\n\S", page, re.MULTILINE)
    assert re.search(r"^## What to do\n\n\S", page, re.MULTILINE)


def test_names_of_rules_are_unique_and_in_kebab_case() -> None:
    names = [rule.name for rule in rules.rules().values()]
    assert len(set(names)) == len(names)
    assert [name for name in names if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)] == []


def test_every_difference_is_reported_by_a_rule() -> None:
    reported = {id for rule in rules.rules().values() for id in rule.differences}
    assert reported - IDS == set(), "no such id in docs/differences.md"
    assert IDS - reported == set(), "no rule reports these"


@pytest.mark.parametrize("code", rules.rules())
def test_what_only_informs_does_not_keep_a_job_from_being_ready(code: str) -> None:
    rule = rules.rules()[code]
    harmless = (Readiness.READY, Readiness.UNKNOWN)
    assert rule.severity is not Severity.INFO or rule.readiness in harmless


def test_a_guess_is_never_more_than_a_hint() -> None:
    guessed = "def build(source):\n    source.filter().foreachRDD(f)\n"
    (found,) = findings(guessed, "DS302")
    assert (found.severity, found.readiness) == (Severity.INFO, Readiness.UNKNOWN)


def test_a_plain_word_count_is_ready() -> None:
    found = findings(
        """\
        import sys
        from pyspark import SparkContext
        from pyspark.streaming import StreamingContext

        if __name__ == "__main__":
            sc = SparkContext(appName="word count")
            ssc = StreamingContext(sc, 1)
            lines = ssc.socketTextStream(sys.argv[1], int(sys.argv[2]))
            counts = (
                lines.flatMap(lambda line: line.split(" "))
                .map(lambda word: (word, 1))
                .reduceByKey(lambda a, b: a + b)
            )
            counts.pprint()
            ssc.start()
            ssc.awaitTermination()
        """
    )
    assert {finding.readiness for finding in found} == {Readiness.READY}
    assert {f.code for f in found if f.severity is Severity.INFO} == {"DS210", "DS609"}
