"""From findings to bytes: which fixes are made, and what is never written."""

from __future__ import annotations

import contextlib
import warnings
from encodings.aliases import aliases

import pytest

from migrator import rules
from migrator.core import (
    Changed,
    Failed,
    Finding,
    Fix,
    Readiness,
    Rule,
    Safety,
    Severity,
    Unchanged,
)
from migrator.model.inference import analyse
from migrator.run.rewriting import rewrite
from migrator.text.documents import Document
from migrator.text.opening import open_document
from migrator.text.source import Edit, Span, Unreadable

RULE = Rule("DS999", "made-up", "For these tests", Severity.WARNING, Readiness.DECIDE, "m", "h")
CODE = "first = 1\nif first:\n    second = 'two'\nthird = f(first, [second])\n"


def document(code: str = CODE) -> Document:
    return open_document("job.py", code.encode())


def finding(doc: Document, old: str, new: str | None, safety: Safety = Safety.SAFE) -> Finding:
    start = doc.source.text.index(old)
    span = Span(start, start + len(old))
    fix = None if new is None else Fix((Edit(span, new),), safety)
    return RULE.at(doc.source, span, fix=fix)


def test_fixes_are_made_and_the_rest_is_left() -> None:
    doc = document()
    fixed, left = finding(doc, "'two'", "'2'"), finding(doc, "third", None)
    result = rewrite(doc, [left, fixed])
    assert isinstance(result, Changed)
    assert result.after.decode() == CODE.replace("'two'", "'2'")
    assert (result.fixed, result.findings) == ((fixed,), (left,))


def test_unsafe_fixes_are_made_only_where_asked_for() -> None:
    doc = document()
    unsafe = finding(doc, "'two'", "'2'", Safety.UNSAFE)
    assert rewrite(doc, [unsafe]) == Unchanged("job.py", (unsafe,))
    assert isinstance(rewrite(doc, [unsafe], unsafe=True), Changed)


def test_of_two_fixes_that_overlap_the_first_wins() -> None:
    doc = document()
    one, other = finding(doc, "f(first", "g(first"), finding(doc, "first, [second]", "second")
    result = rewrite(doc, [other, one])
    assert isinstance(result, Changed)
    assert result.after.decode() == CODE.replace("f(first", "g(first")
    assert result.findings == (other,)


def test_the_same_edit_in_two_fixes_is_made_once() -> None:
    doc = document()
    result = rewrite(doc, [finding(doc, "'two'", "'2'"), finding(doc, "'two'", "'2'")])
    assert isinstance(result, Changed)
    assert result.after.decode() == CODE.replace("'two'", "'2'")
    assert len(result.fixed) == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'two'", "'two"),
        ("'two'", "'''two"),
        ("'two'", "("),
        ("    second", "second"),
        ("f(first", "f("),
        ("1", "1 +"),
        ("first", "f\0"),
    ],
)
def test_what_python_cannot_parse_is_never_a_result(old: str, new: str) -> None:
    doc = document()
    result = rewrite(doc, [finding(doc, old, new)])
    assert isinstance(result, Failed)
    assert result.reason.startswith("was left as it is: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("= f(", ": f("),
        ("second = 'two'\n", "second = 'two'\n    "),
        ("first = 1\n", "def first():\n  "),
        ("if first:\n", "while 1:\n  if first:\n"),
    ],
)
def test_edits_that_move_other_code_are_refused(old: str, new: str) -> None:
    doc = document()
    result = rewrite(doc, [finding(doc, old, new)])
    assert isinstance(result, Failed)
    assert "the edits would change more than they should" in result.reason


def test_a_comment_that_swallows_code_is_refused() -> None:
    doc = document("x = [1, 2]; y = 3\n")
    result = rewrite(doc, [finding(doc, "[1, 2]", "[1, 2]  #")])
    assert result == Failed(
        "job.py",
        "was left as it is: the edits would change more than they should",
        result.findings,  # type: ignore[union-attr]
    )


def test_a_string_that_swallows_code_is_refused() -> None:
    doc = document("x = 1\ny = 2\nz = '''end'''\n")
    result = rewrite(doc, [finding(doc, "1", "'''")])
    assert isinstance(result, Failed)


def test_edits_inside_strings_are_fine() -> None:
    doc = document()
    result = rewrite(doc, [finding(doc, "two", "three")])
    assert isinstance(result, Changed)


def test_what_cannot_be_encoded_is_refused() -> None:
    raw = b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"
    doc = open_document("job.py", raw)
    result = rewrite(doc, [finding(doc, "x", "\u4e00")])
    assert isinstance(result, Failed)
    assert "latin-1" in result.reason or "iso-8859" in result.reason


@pytest.mark.parametrize("codec", sorted({*aliases.values(), "idna", "punycode", "undefined"}))
def test_whatever_encoding_a_file_names_it_is_read_or_refused_in_a_sentence(codec: str) -> None:
    raw = f"# coding: {codec}\nfrom pyspark.streaming import DStream\n{'x' * 80} = DStream\n"
    with contextlib.suppress(Unreadable), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd escapes
        open_document("job.py", raw.encode())


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbffirst = 1\r\nsecond = '\xc3\xa9'\x0c\r\nthird = first\r",
        b"# coding: latin-1\nfirst = 1\nsecond = '\xe9'",
        b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nfirst = '\x80'\n"
        b"if first:\n\tsecond = 2  \n\n\n",
        b"\x0cfirst = 1\n\x0c\nsecond = \\\n  2",
    ],
)
def test_all_bytes_but_the_edited_ones_stay(raw: bytes) -> None:
    doc = open_document("job.py", raw)
    result = rewrite(doc, [finding(doc, "second", "other")])
    assert isinstance(result, Changed)
    assert result.after == raw.replace(b"second", b"other")


def test_a_very_large_file_is_rewritten() -> None:
    code = b"from pyspark.streaming import DStream\nprint(DStream, '" + b"x" * 600_000 + b"')\n"
    document = open_document("job.py", code)
    project = analyse([document.source])
    result = rewrite(document, rules.findings(project.modules["job.py"], project))
    assert isinstance(result, Changed)
    assert result.after == code.replace(b"pyspark.streaming", b"dstream_compat")
