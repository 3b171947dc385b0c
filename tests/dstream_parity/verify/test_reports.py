"""Verdicts and reports, from observations made up here."""

from __future__ import annotations

import decimal
import io
import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from dstream_parity import Missing, Outcome, Raised, Seen
from dstream_parity.verify.child import standins
from dstream_parity.verify.child.facets import ERROR, RDD, TEXT, TIME, Facet, Observations, OutputOp
from dstream_parity.verify.coordinator.progress import Bar
from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.judging.judge import judge
from dstream_parity.verify.judging.verdict import BatchMark, Rules, Verdict, VerdictKind
from dstream_parity.verify.report import write
from dstream_parity.verify.report.as_html import as_html
from dstream_parity.verify.report.as_json import as_json
from dstream_parity.verify.report.as_text import as_text


def observed(*batches: Outcome | list[Facet] | None, body: bool = False) -> Observations:
    """One output that was seen to do this."""
    facets = []
    for batch in batches:
        if batch is None:
            facets.append([])
        else:
            facets.append(batch if isinstance(batch, list) else [Facet(RDD, batch)])
    times = [1000 * (n + 1) for n in range(len(batches))]
    op = OutputOp(0, "pprint", "job.py", 7, None, body)
    return Observations([op], times, [0.1] * len(batches), [facets])


def seen(*elements: Any) -> Seen:
    return Seen((elements,))


def verdict_on(legacy: Observations, ours: Observations, **rules: Any) -> Verdict:
    return judge(legacy, legacy, ours, Rules(**rules))


@pytest.mark.parametrize(
    ("ours", "expected", "actual"),
    [
        (
            seen("a", "b", "b"),
            "3 elements in 1 partition; only in reference: 1 (1 × str)",
            "3 elements in 1 partition; only in ours: 1 (1 × str)",
        ),
        (
            seen("a", "a"),
            "3 elements in 1 partition; only in reference: 1 (1 × str)",
            "2 elements in 1 partition; only in ours: none",
        ),
        (
            Seen((("a", "a"), ("b",))),
            "3 elements in 1 partition",
            "3 elements in 2 partitions",
        ),
        (Raised("ValueError", "secret"), "3 elements in 1 partition", "raised ValueError"),
        (None, "3 elements in 1 partition", "nothing"),
    ],
)
def test_a_difference_is_described_without_values(ours: Any, expected: str, actual: str) -> None:
    verdict = verdict_on(observed(seen("x"), seen("a", "a", "b")), observed(seen("x"), ours))
    assert verdict.kind is VerdictKind.DIFFERENT
    assert verdict.why == "pprint at job.py:7: the RDD differs in batch 2"
    assert verdict.outputs[0].cells == (BatchMark.EQUAL, BatchMark.DIFFERENT)
    found = verdict.outputs[0].difference
    assert found is not None
    assert (found.expected, found.actual) == (expected, actual)
    assert found.values is None


def test_one_and_one_point_zero_differ() -> None:
    verdict = verdict_on(observed(seen(1)), observed(seen(1.0)))
    assert verdict.kind is VerdictKind.DIFFERENT


def test_another_order_is_a_note_unless_order_counts() -> None:
    legacy, ours = observed(seen(1, 2)), observed(seen(2, 1))
    verdict = verdict_on(legacy, ours)
    assert verdict.kind is VerdictKind.EQUAL
    assert verdict.outputs[0].notes == (
        "same elements in a different order in 1 batch; --ordered makes that count",
    )
    assert verdict.why.endswith("2 elements; 1 with elements in a different order")
    assert verdict_on(legacy, ours, ordered=True).kind is VerdictKind.DIFFERENT


def test_printed_text_and_exceptions_count_in_order() -> None:
    def ran(lines: tuple[str, ...], error: Raised | Missing) -> list[Facet]:
        return [
            Facet(RDD, seen(1)),
            Facet(TEXT, Seen((lines,)), ordered=True),
            Facet(ERROR, error),
        ]

    legacy = observed(ran(("a", "b"), Missing()), body=True)
    assert verdict_on(legacy, legacy, run_outputs=True).kind is VerdictKind.EQUAL
    other = verdict_on(legacy, observed(ran(("b", "a"), Missing())), run_outputs=True)
    assert other.why == "pprint at job.py:7: the printed text, its order differs in batch 1"
    failed = verdict_on(legacy, observed(ran(("a", "b"), Raised("E", "x"))), run_outputs=True)
    assert failed.why == "pprint at job.py:7: the exception differs in batch 1"


def test_what_differs_from_itself_is_not_claimed_and_with_strict_not_equal() -> None:
    legacy, again = observed(seen(1), seen(2)), observed(seen(1), seen(3))
    for run in (legacy, again):
        run.outputs.append(OutputOp(1, "pprint", "job.py", 9))
        run.facets.append([[Facet(RDD, seen("same"))]] * 2)
    verdict = judge(legacy, again, legacy, Rules())
    assert verdict.kind is VerdictKind.EQUAL
    assert verdict.why == "1 of 2 output operations, 2 batches, 2 elements"
    assert verdict.outputs[0].cells == (BatchMark.UNSTABLE,) * 2
    strict = judge(legacy, again, legacy, Rules(strict=True))
    assert strict.kind is VerdictKind.NOT_COMPARED
    assert strict.why.startswith("the legacy engine differs from itself at pprint at job.py:7")


def test_a_surplus_batch_and_a_missing_one_are_differences() -> None:
    one, two = observed(seen(1)), observed(seen(1), seen(2))
    assert verdict_on(two, one).kind is VerdictKind.DIFFERENT
    assert verdict_on(one, two).why == "the original ran 1 batch, the rewritten job 2"


def test_an_output_that_is_called_twice_in_a_batch_or_at_another_time_differs() -> None:
    def called(*moments: int) -> Observations:
        return observed([f for m in moments for f in (Facet(RDD, seen(1)), Facet(TIME, seen(m)))])

    assert verdict_on(called(5), called(5)).kind is VerdictKind.EQUAL
    assert verdict_on(called(5), called(5, 5)).kind is VerdictKind.DIFFERENT
    assert verdict_on(called(5), called(6)).why == (
        "pprint at job.py:7: the batch time it was called with differs in batch 1"
    )


def test_another_operation_or_other_arguments_are_a_difference() -> None:
    def saved(operation: str, *arguments: Any) -> Observations:
        made = observed(seen(1))
        made.outputs[0] = OutputOp(0, operation, "job.py", 7, arguments=arguments)
        return made

    here, there = saved("saveAsTextFiles", "/secret/here"), saved("saveAsTextFiles", "/there")
    assert verdict_on(here, saved("pprint", 10)).why == (
        "saveAsTextFiles at job.py:7: the operation differs"
    )
    verdict = verdict_on(here, there)
    assert verdict.why == "saveAsTextFiles at job.py:7: its arguments differ"
    outcome = Verification("job.py", "legacy", "ours", verdict)
    for report in (as_text(outcome), as_html(outcome), as_json(outcome)):
        assert "secret" not in report
    assert "first difference of saveAsTextFiles at job.py:7: its arguments\n" in as_text(outcome)
    # where the legacy engine saves somewhere else every time, so may ours
    assert (
        judge(here, there, saved("saveAsTextFiles", "/elsewhere"), Rules()).kind
        is VerdictKind.EQUAL
    )


def test_an_output_that_is_always_empty_beside_one_that_is_not_is_named() -> None:
    both = observed(seen(1))
    both.outputs.append(OutputOp(1, "pprint", "job.py", 9))
    both.facets.append([[Facet(RDD, seen())]])
    verdict = verdict_on(both, both)
    assert verdict.kind is VerdictKind.EQUAL
    assert verdict.outputs[1].notes == ("empty in every batch, which proves little",)


def test_nothing_compared_is_no_proof() -> None:
    empty = observed(seen(), None)
    assert verdict_on(empty, empty).kind is VerdictKind.NOT_COMPARED
    failing = observed(Raised("ModuleNotFoundError", "redis"))
    verdict = verdict_on(failing, failing)
    assert verdict.kind is VerdictKind.NOT_COMPARED
    assert verdict.why == (
        "no elements were compared: pprint at job.py:7 raised ModuleNotFoundError in 1 batch, on "
        "both sides"
    )


def result(verdict: Verdict) -> Verification:
    return Verification(
        "job.py", "legacy engine", "job.py <rewritten>", verdict, ("0 (x at job.py:3)",)
    )


@pytest.fixture
def different() -> Verification:
    legacy = observed(seen(1), seen("<b>"), None)
    return result(verdict_on(legacy, observed(seen(1), seen(2), None), show_values=True))


def test_the_text_has_a_sign_per_batch_and_ends_with_the_verdict(different: Verification) -> None:
    lines = as_text(different).splitlines()
    assert "  pprint at job.py:7  =X.  different, first in batch 2" in lines
    assert "  expected only: '<b>'" in " ".join(lines)
    assert lines[-1] == "DIFFERENT: pprint at job.py:7: the RDD differs in batch 2"
    assert "\x1b" not in as_text(different)
    assert "\x1b[1;31mDIFFERENT\x1b[0m" in as_text(different, colours=True)


def test_the_json_report_says_the_same_for_programs(different: Verification) -> None:
    report = json.loads(as_json(different))
    assert report["format"] == 1
    assert report["verdict"] == "different"
    assert report["outputs"][0]["cells"] == ["equal", "different", "not called"]
    assert report["outputs"][0]["first_difference"]["batch"] == 1


def test_a_report_that_cannot_be_written_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(Refused, match=r"report\.html cannot be written: "):
        write(str(tmp_path / "file" / "report.html"), "text")
    write(str(tmp_path / "made" / "report.html"), "text")
    assert (tmp_path / "made" / "report.html").read_text() == "text"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "made", "report.html"]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_page_needs_nothing_else_and_escapes_what_it_shows(different: Verification) -> None:
    html = as_html(different)
    page = _Page()
    page.feed(html)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "img", "iframe", "b>"}
    assert not any(name in attrs for _, attrs in page.tags for name in ("src", "href"))
    assert "&lt;b&gt;" in html
    table = html[html.index("<table") : html.index("</table>") + len("</table>")]
    rows = ET.fromstring(table).findall("tr")
    cells = [span.get("class") for span in rows[0].iter("span")]
    assert cells == ["cell equal", "cell different", "cell not_run"]
    assert rows[1].findtext("th") == "seconds, legacy"


def test_the_progress_bar_is_for_terminals_only() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    plain, terminal = io.StringIO(), Terminal()
    for stream in (plain, terminal):
        with Bar(stream) as bar:
            bar("legacy", 3, 6)
    assert plain.getvalue() == ""
    assert "[████████████············] legacy 3/6" in terminal.getvalue()


class Known:
    def __init__(self, n: int) -> None:
        self.n = n


def test_classes_of_the_job_travel_by_name_and_stay_comparable() -> None:
    def strange(n: int) -> Any:
        kind = type("Strange", (Known,), {"__module__": "__main__", "__qualname__": "Strange"})
        return kind(n)

    one, same, other = (standins.there_and_back(observed(seen(strange(n)))) for n in (1, 1, 2))
    assert verdict_on(one, same).kind is VerdictKind.EQUAL
    assert verdict_on(one, other).kind is VerdictKind.DIFFERENT


def test_a_module_of_the_job_is_not_imported_to_compare_its_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clicks_of_the_job.py").write_text("raise SystemExit('it ran')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    kind = type("Click", (Known,), {"__module__": "clicks_of_the_job", "__qualname__": "Click"})
    loaded = standins.there_and_back(kind(1))
    assert isinstance(loaded, standins.StandIn)
    assert type(loaded).__module__ == "clicks_of_the_job"
    assert type(standins.there_and_back(decimal.Decimal(1))) is decimal.Decimal
