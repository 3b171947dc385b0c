"""Python 2 files: modernised by named fixers, one diff from the original, findings at its lines."""

from __future__ import annotations

import pytest

from migrator import rules
from migrator.core import Changed, Result
from migrator.model.inference import analyse
from migrator.run.rewriting import rewrite
from migrator.text.opening import open_document
from migrator.text.python2 import FIXERS, modernise
from migrator.text.source import Unreadable


def handled(raw: bytes) -> Result:
    document = open_document("job.py", raw, python2=True)
    project = analyse([document.source])
    return rewrite(document, rules.findings(project.modules["job.py"], project))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print 'a', b", "print('a', b)"),
        ("print >>err, 'a',", "print('a', end=' ', file=err)"),
        ("print 1; lambda (k, v): k + v", "print(1); lambda k_v: k_v[0] + k_v[1]"),
        ("print 1; lambda (k, (a, b)): a", "print(1); lambda k_a_b: k_a_b[1][0]"),
        ("x = 10L + 0777", "x = 10 + 0o777"),
        (
            "try:\n    f()\nexcept E, e:\n    raise E, 'x'",
            "try:\n    f()\nexcept E as e:\n    raise E('x')",
        ),
        ("exec code in d", "exec(code, d)"),
        ("x = `y`", "x = repr(y)"),
        ("x = 1 <> 2", "x = 1 != 2"),
        ("print 1; x = d.has_key(k)", "print(1); x = k in d"),
        ("print 1; x = xrange(3)", "print(1); x = range(3)"),
        ("print 1; x = it.next()", "print(1); x = next(it)"),
        ("print 1; import ConfigParser", "print(1); import configparser"),
        ("print unicode(u'x')", "print(str('x'))"),
        ("print long(1), basestring, raw_input()", "print(int(1), str, input())"),
        ("print d.iteritems(), d.viewkeys()", "print(iter(d.items()), d.keys())"),
    ],
)
def test_what_the_fixers_do(before: str, after: str) -> None:
    assert modernise(before + "\n") == after + "\n"


@pytest.mark.parametrize(
    "code",
    [
        "rdd.map(f).filter(g).zip(other)",
        "x = map(f, y)",
        "x = filter(None, y)",
        "x = zip(a, b)",
        "for k in d.keys(): pass",
        "x = d.items()",
        "x = reduce(f, y)",
        "x = apply(f, a)",
        "x = isinstance(y, int) == True",
        "assertEquals(a, b)",
    ],
)
def test_what_the_fixers_leave_alone(code: str) -> None:
    assert modernise(f"print 1\n{code}\n") == f"print(1)\n{code}\n"


def test_the_fixers_are_those_that_are_documented() -> None:
    named = (
        "tuple_params print numliterals except raise exec repr ne has_key xrange next imports "
        "unicode long basestring raw_input"
    )
    assert set(FIXERS) == set(named.split())


def test_only_leading_tabs_are_expanded_and_not_in_strings() -> None:
    before = 'if x:\n\tprint "a\tb"\n        y = """\n\tz"""\n'
    after = 'if x:\n        print("a\tb")\n        y = """\n\tz"""\n'
    assert modernise(before) == after


def test_tabs_that_python_3_understands_stay() -> None:
    assert modernise("if x:\n\tprint 'a'\n\tif y:\n\t\tz = 1\n") == (
        "if x:\n\tprint('a')\n\tif y:\n\t\tz = 1\n"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_and_a_missing_one_stay(end: str) -> None:
    assert modernise(f"x = 1{end}print x{end}y = 2") == f"x = 1{end}print(x){end}y = 2"


def test_parameters_are_named_after_their_parts() -> None:
    before = (
        "def f((a, b), c):\n    print a\nclass A:\n    def m(self, (a, b)):\n        return a\n"
    )
    assert modernise(before) == (
        "def f(a_b, c):\n    (a, b) = a_b\n    print(a)\n"
        "class A:\n    def m(self, a_b):\n        (a, b) = a_b\n        return a\n"
    )


def test_a_name_that_is_taken_is_not_taken_again() -> None:
    new = modernise("a_b = 1\ndef f((a, b)):\n    return a + a_b\n")
    assert new is not None
    assert "a_b = 1\n" in new
    assert "def f(a_b)" not in new


JOB = b"""\
# -*- coding: latin-1 -*-\r
import sys\r
from pyspark.streaming import StreamingContext\r
def pair((k, v)):\r
    return '\xe9', v / 2\r
ssc = StreamingContext(sc, 1)\r
lines = ssc.socketTextStream('h', 1)\r
lines.map(lambda (k, v): (k, v)).map(pair).pprint()\r
if lines:\r
    print 'data'"""


def test_a_job_is_modernised_and_moved_in_one_step() -> None:
    result = handled(JOB)
    assert isinstance(result, Changed)
    assert result.before == JOB
    expected = (
        JOB.replace(b"pyspark.streaming", b"dstream_compat")
        .replace(b"def pair((k, v)):\r\n", b"def pair(k_v):\r\n    (k, v) = k_v\r\n")
        .replace(b"lambda (k, v): (k, v)", b"lambda k_v: (k_v[0], k_v[1])")
        .replace(b"print 'data'", b"print('data')")
    )
    assert result.after == expected


def test_findings_are_at_the_lines_of_the_original() -> None:
    result = handled(JOB)
    assert isinstance(result, Changed)
    places = {finding.code: finding.line for finding in result.findings}
    assert places["DS701"] == 5
    assert places["DS603"] == 9
    assert [(f.code, f.line) for f in result.fixed] == [("DS101", 3)]


def test_a_file_that_python_3_can_parse_is_never_modernised() -> None:
    code = b"from pyspark.streaming import DStream\nprint(unicode(1), d.iteritems(), DStream)\n"
    result = handled(code)
    assert isinstance(result, Changed)
    assert result.after == code.replace(b"pyspark.streaming", b"dstream_compat")


def test_without_being_asked_the_way_out_is_named() -> None:
    with pytest.raises(Unreadable, match=r"is not Python 3: line \d+: .*--python2"):
        open_document("job.py", JOB)


@pytest.mark.parametrize("code", [b"x = (\n", b"def f(:\n", b"print 'a\n", b"val x: Int = 1\n"])
def test_what_is_no_python_at_all_gets_no_such_hint(code: bytes) -> None:
    for python2 in (False, True):
        with pytest.raises(Unreadable) as caught:
            open_document("job.py", code, python2)
        assert "--python2" not in str(caught.value)


def test_a_module_whose_new_name_is_taken_keeps_the_old_one() -> None:
    before = "import Queue, sys\ndef f():\n    queue = Queue.Queue()\n    print queue\n"
    after = "import queue as Queue, sys\ndef f():\n    queue = Queue.Queue()\n    print(queue)\n"
    assert modernise(before) == after
    before = "import urllib, urlparse, httplib\nprint urlparse.urlparse(urllib.x, httplib.y)\n"
    after = (
        "import urllib, urllib.parse as urlparse, http.client\n"
        "print(urlparse.urlparse(urllib.x, http.client.y))\n"
    )
    assert modernise(before) == after
