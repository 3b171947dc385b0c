"""The report as a page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

from migrator import report
from migrator.report.charts import bars, shares
from migrator.run.running import Report
from tests.migrator.report import HOSTILE, REPORT

PAGE = report.render(REPORT, "html")
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Reader(HTMLParser):
    """All tags, attributes and text of a page; every element has to be closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def test_the_page_is_whole_and_shows_the_figures() -> None:
    seen = read(PAGE).text
    for text in ("25 %", "18 of 19", "Flume is gone", "×3", "jobs/broken.py", "invalid syntax"):
        assert text in seen


def test_nothing_is_loaded_and_nothing_runs() -> None:
    reader = read(PAGE)
    assert not {"script", "link", "img", "iframe", "object"} & set(reader.tags)
    names = {name for name, _ in reader.attributes}
    assert not {"src", "href", "xlink:href", "style"} & names
    assert not [name for name in names if name.startswith("on")]
    style = PAGE.partition("<style>")[2].partition("</style>")[0]
    assert not re.search(r"url\(|@import|http", style)
    policy = ("content", "default-src 'none'; style-src 'unsafe-inline'")
    assert policy in reader.attributes


def test_what_comes_from_outside_is_escaped() -> None:
    assert "<script>" not in PAGE
    assert HOSTILE in read(PAGE).text


def test_the_charts_and_the_graph_of_a_job_are_in_the_page() -> None:
    assert PAGE.count('<svg viewBox="0 0 960 28"') == 1
    assert 'aria-label="Findings by code"' in PAGE
    assert 'aria-label="Sources, operators and outputs by number of uses"' in PAGE
    assert "<title>clicks</title>" in PAGE


def test_light_and_dark_screens_have_their_colours() -> None:
    assert "@media (prefers-color-scheme: dark)" in PAGE


def test_the_figure_is_not_called_an_estimate_of_effort() -> None:
    assert "It is not an estimate of effort." in read(PAGE).text


def test_a_report_without_anything_is_a_page_too() -> None:
    seen = read(report.render(Report(), "html")).text
    assert "ready: 0 of 0 jobs" in seen


def test_the_bar_is_shared_in_proportion() -> None:
    svg = ElementTree.fromstring(shares([("ready", 3), ("decide", 0), ("blocked", 1)], "Jobs"))
    widths = {rect.get("class"): rect.get("width") for rect in svg.iter("rect")}
    assert widths == {"ready": "720", "blocked": "240"}


def test_bars_are_as_long_as_their_numbers() -> None:
    svg = ElementTree.fromstring(bars([("map", 4, "operator"), ("a<b", 2, "output")], "Used"))
    first, second = (float(rect.get("width") or 0) for rect in svg.iter("rect"))
    assert first == 2 * second
    assert [text.text for text in svg.iter("text")] == ["map", "4", "a<b", "2"]
