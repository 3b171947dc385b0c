"""Any Python whatsoever, with DStream statements in it: never a crash, never damage.

Sources are made up from Python's grammar (hypothesmith), and by mutating real jobs byte by byte.
"""

from __future__ import annotations

import ast
import itertools
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

import hypothesmith
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from migrator.core import Changed, Failed, Result
from migrator.files.discovery import File
from migrator.run.analyse_group import handle
from migrator.run.rewriting import rewrite
from migrator.run.running import Options
from migrator.text.source import PythonSource

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted(
    path.read_bytes()
    for folder in ("samples/legacy", "tests/idioms")
    for path in (ROOT / folder).rglob("*.py")
)
SHARE = 0.95
"""Of the made-up sources with DStream statements, at least this part is rewritten, exactly."""

STATEMENTS = {
    "from pyspark.streaming import StreamingContext as C_\nC_(1, 2)": (
        "from dstream_compat import StreamingContext as C_\nC_(1, 2)"
    ),
    "import pyspark.streaming as S_; S_.DStream": "import dstream_compat as S_; S_.DStream",
    "def f_():\n\tfrom pyspark.streaming.kafka import KafkaUtils\n\treturn KafkaUtils": (
        "def f_():\n\tfrom dstream_compat.kafka import KafkaUtils\n\treturn KafkaUtils"
    ),
    "try:\n  from pyspark.streaming.mqtt import (MQTTUtils, # é\n )\nexcept ImportError: pass": (
        "try:\n  from dstream_compat.mqtt import (MQTTUtils, # é\n )\nexcept ImportError: pass"
    ),
    "from pyspark import streaming as T_, RDD as R_\n[T_, R_]": (
        "import dstream_compat as T_\nfrom pyspark import RDD as R_\n[T_, R_]"
    ),
    "def g_(x: 'D_'):\n from pyspark.streaming import DStream as D_\n return D_": (
        "def g_(x: 'D_'):\n from dstream_compat import DStream as D_\n return D_"
    ),
    'P_ = "org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0"': (
        'P_ = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0"'
    ),
    "if C_:\n    from pyspark.streaming.tests import U_": "if C_:\n    pass",
}

NEWLINES = st.sampled_from(["\n", "\r\n"])


@pytest.fixture(autouse=True)
def _crashes_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIGRATE_TRACEBACK", "1")


def handled(raw: bytes, *, unsafe: bool = False, python2: bool = False) -> Result:
    """What `migrate rewrite` makes of a file; raises whatever goes wrong inside."""
    options = Options(handler=partial(rewrite, unsafe=unsafe), python2=python2)
    (result,) = handle([[File("job.py", raw)]], options).results
    return result


def check_sound(result: Result, *, unsafe: bool = False) -> None:
    """What is written parses, is the original but for the edits, and stays when done again."""
    if isinstance(result, Failed):
        assert "\n" not in result.reason
        return
    if not isinstance(result, Changed):
        return
    before, after = (
        PythonSource.read("job.py", result.before),
        PythonSource.read("job.py", result.after),
    )
    assert after.tree.body or not result.after.strip()
    edits = {edit for finding in result.fixed if finding.fix for edit in finding.fix.edits}
    old = new = 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        kept = before.text[old : edit.span.start]
        assert after.text[new : new + len(kept)] == kept
        new += len(kept)
        assert after.text[new : new + len(edit.new)] == edit.new
        old, new = edit.span.end, new + len(edit.new)
    assert after.text[new:] == before.text[old:]
    assert not isinstance(handled(result.after, unsafe=unsafe), Changed)


def tops(source: str) -> list[int]:
    """Where a statement can be put in: in front of every top-level one that begins a line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body = ast.parse(source).body
    text = PythonSource("", b"", "utf-8", source)
    places = [text.offset(node.lineno, node.col_offset) for node in body]
    places = [at for at in places if at == 0 or source[at - 1] in "\r\n"]
    decorated = any(getattr(node, "decorator_list", None) for node in body)
    return [] if decorated else places


def test_dstream_statements_in_any_source_are_rewritten_and_nothing_else() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        hypothesmith.from_grammar(),
        st.lists(st.sampled_from(sorted(STATEMENTS)), min_size=1, max_size=3, unique=True),
        NEWLINES,
        st.data(),
    )
    def check(source: str, chosen: list[str], newline: str, data: st.DataObject) -> None:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
        assume("__future__" not in source)
        places = (
            [*tops(source), len(source)] if source.endswith("\n") or not source else tops(source)
        )
        assume(places)
        at = data.draw(st.sampled_from(places))
        before, after = (
            "".join([source[:at], *(f"{one}\n" for one in texts), source[at:]]).replace(
                "\n", newline
            )
            for texts in (chosen, [STATEMENTS[one] for one in chosen])
        )
        assume(_parses(before))
        result = handled(before.encode())
        check_sound(result)
        seen["all"] += 1
        if isinstance(result, Changed) and result.after == after.encode():
            seen["rewritten"] += 1

    check()
    assert seen["all"] >= 60
    assert seen["rewritten"] >= SHARE * seen["all"], seen


def _parses(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
            text.encode()
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


KINDS = ("delete", "double", "swap", "indent", "cut", "insert", "replace", "join")


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A job with some things changed that may or may not leave it Python."""
    lines = draw(st.sampled_from(SAMPLES)).splitlines(keepends=True)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        what = draw(st.sampled_from(KINDS))
        if not lines:
            break
        if what == "delete":
            del lines[at]
        elif what == "double":
            lines.insert(at, lines[at])
        elif what == "swap":
            other = draw(st.integers(0, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif what == "indent":
            lines[at] = draw(st.sampled_from([b" ", b"\t", b"        ", b"\x0c"])) + lines[at]
        elif what == "cut":
            lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
        elif what == "insert":
            lines.insert(at, draw(st.sampled_from(SNIPPETS)))
        elif what == "replace":
            old, new = draw(st.sampled_from(SWAPS))
            lines = [line.replace(old, new) for line in lines]
        elif what == "join":
            lines[at] = lines[at].rstrip(b"\r\n") + b"; "
    raw = b"".join(lines)
    if draw(st.booleans()):
        raw = raw.replace(b"\n", b"\r\n")
    if draw(st.booleans()):
        raw = raw.rstrip()
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf", b"# coding: latin-1\n"])) + raw


SNIPPETS = [
    b"import pyspark.streaming\n",
    b"from pyspark import streaming, SparkContext\n",
    b"from pyspark.streaming import *\n",
    b"from pyspark.streaming.kafka import KafkaUtils, TopicAndPartition as T; x = T\n",
    b"print 'two'\n",
    b"lines.foreachRDD(lambda (a, b): a)\n",
    b'"""\n',
    b"x = f'{pyspark.streaming.DStream!r:>{1}}'\n",
    b"__all__ = ['StreamingContext']\n",
    b"\xff\xfe\n",
    b"class A(pyspark.streaming.DStream): pass\n",
    b"def f(x: 'pyspark.streaming.DStream'): return x / 2\n",
    b"# migrate: ignore[DS1]\n",
    b"\x00\n",
]
SWAPS = [
    (b"pyspark.streaming", b"pyspark . streaming"),
    (b"from pyspark.streaming import", b"import pyspark.streaming as"),
    (b"StreamingContext(", b"pyspark.streaming.StreamingContext("),
    (b"(", b"(("),
    (b"    ", b"\t"),
    (b"def ", b"async def "),
    (b" import ", b" import \\\n  "),
    (b"ssc", b"\xc3\xa9"),
]


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated(), st.booleans(), st.booleans())
def test_mutated_jobs_are_handled_or_refused_in_one_sentence(
    raw: bytes, unsafe: bool, python2: bool
) -> None:
    result = handled(raw, unsafe=unsafe, python2=python2)
    if isinstance(result, Changed) and python2 and handled(raw) != result:
        ast.parse(result.after)  # modernised: not only edits differ
        assert not isinstance(handled(result.after, unsafe=unsafe), Changed)
    else:
        check_sound(result, unsafe=unsafe)


@pytest.mark.parametrize(
    "raw",
    [
        b"x = " + b"(" * 300 + b")" * 300 + b"\nimport pyspark.streaming\n",
        b"from pyspark.streaming import DStream\nx = DStream" + b".f()" * 20000 + b"\n",
        b"from pyspark.streaming import DStream\nx = " + b"-" * 50000 + b"1\nDStream\n",
        b"from pyspark.streaming import DStream\n" + b"if DStream:\n " * 1 + b"pass\n" * 1,
        b"import pyspark.streaming\n" + b"\x00",
        b"import pyspark.streaming\n" + b"'" * 10001,
        b"# coding: nonsense\nimport pyspark.streaming\n",
        b"# coding: utf-7\nimport pyspark.streaming\nprint(pyspark.streaming)\n",
    ],
    ids=range(8),
)
def test_extreme_sources_end_in_a_result(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MIGRATE_TRACEBACK")
    for unsafe, python2 in itertools.product((False, True), repeat=2):
        result = handled(raw, unsafe=unsafe, python2=python2)
        if isinstance(result, Failed):
            assert "inside the migrator" not in result.reason
            assert "\n" not in result.reason
