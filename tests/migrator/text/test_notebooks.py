"""Notebooks: code cells are rewritten, everything else keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from migrator import rules
from migrator.core import Changed, Finding, Result
from migrator.model.inference import analyse
from migrator.run.rewriting import rewrite
from migrator.text.documents import Document
from migrator.text.magics import hidden
from migrator.text.opening import open_document
from migrator.text.source import Unreadable


def notebook(*cells: str | list[str], **metadata: Any) -> dict[str, Any]:
    return {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": 3,
                "id": f"cell-{number}",
                "metadata": {"collapsed": True},
                "outputs": [{"text": ["from pyspark.streaming import DStream\n"]}],
                "source": source,
            }
            for number, source in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"language": "python"}, **metadata},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def handled(raw: bytes, python2: bool = False) -> tuple[Document, Result]:
    document = open_document("job.ipynb", raw, python2)
    project = analyse([document.source])
    return document, rewrite(document, rules.findings(project.modules["job.ipynb"], project))


def rewritten(raw: bytes, python2: bool = False) -> bytes:
    _, result = handled(raw, python2)
    assert isinstance(result, Changed), result
    return result.after


JOB = """\
%matplotlib inline
!pip install 'pyspark==2.4'
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 1)
"""


@pytest.mark.parametrize("layout", [{"indent": 1}, {"indent": 4}, {}, {"separators": (",", ":")}])
@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("shape", [lines, str])
def test_only_the_changed_line_is_written_anew(layout: Any, plain: bool, shape: Any) -> None:
    data = notebook(
        shape(JOB),
        shape("print('größe \u2028 \\t')"),
        shape("lines = ssc.socketTextStream('h', 1)"),
    )
    raw = json.dumps(data, ensure_ascii=plain, **layout).encode() + b"\n"
    old = b"from pyspark.streaming import StreamingContext"
    assert rewritten(raw) == raw.replace(old, b"from dstream_compat import StreamingContext")


def test_a_byte_order_mark_and_odd_escapes_stay() -> None:
    raw = (
        b'\xef\xbb\xbf{"cells": [{"cell_type": "code", "source": ["x = \\"\\u0061\\/\\"\\n",\n\t'
        b'"import pyspark.streaming as p\\n", "p.DStream"]}]}'
    )
    assert rewritten(raw) == raw.replace(b"pyspark.streaming", b"dstream_compat")


def test_added_lines_become_strings_of_their_own() -> None:
    source = [
        "import pyspark.streaming\n",
        "pyspark.streaming.StreamingContext(pyspark.SparkContext(), 1)",
    ]
    after = json.loads(rewritten(json.dumps(notebook(source), indent=1).encode()))
    assert after["cells"][0]["source"] == [
        "import pyspark\n",
        "import dstream_compat\n",
        "dstream_compat.StreamingContext(pyspark.SparkContext(), 1)",
    ]


def test_edits_at_the_border_of_cells_go_to_the_right_one() -> None:
    data = notebook(
        "x = 1\n", "import pyspark.streaming", "print(pyspark.streaming.DStream, pyspark)"
    )
    after = json.loads(rewritten(json.dumps(data).encode()))
    assert [cell["source"] for cell in after["cells"]] == [
        "x = 1\n",
        "import pyspark\nimport dstream_compat",
        "print(dstream_compat.DStream, pyspark)",
    ]


def test_older_notebooks_keep_their_cells_in_worksheets() -> None:
    cell = {"cell_type": "code", "input": ["from pyspark.streaming import DStream\n", "DStream"]}
    raw = json.dumps({"nbformat": 3, "worksheets": [{"cells": [cell]}]}).encode()
    assert rewritten(raw) == raw.replace(b"pyspark.streaming", b"dstream_compat")


def test_a_name_used_in_a_later_cell_is_used() -> None:
    data = notebook("from pyspark.streaming import DStream", "%time isinstance(x, list)", "DStream")
    assert b"from dstream_compat import DStream" in rewritten(json.dumps(data).encode())


def test_an_import_that_no_cell_uses_moves_and_stays() -> None:
    data = notebook("from pyspark.streaming import DStream")
    assert b"from dstream_compat import DStream" in rewritten(json.dumps(data).encode())


def test_findings_name_cell_and_line() -> None:
    markdown = {"cell_type": "markdown", "source": "# Title"}
    data = notebook(
        JOB, "x = 1\nlines = ssc.socketTextStream('h', 1)\nif lines:\n    lines.pprint()\n"
    )
    data["cells"].insert(0, markdown)
    document, result = handled(json.dumps(data).encode())
    (finding,) = [f for f in _findings(result) if f.code == "DS603"]
    assert (finding.cell, finding.line) == (3, 3)
    assert document.source.text.splitlines()[finding.line - 1] != "if lines:"


def _findings(result: Result) -> tuple[Finding, ...]:
    assert isinstance(result, Changed)
    return result.findings


@pytest.mark.parametrize("language", ["scala", "R"])
def test_notebooks_in_other_languages_have_no_code_for_us(language: str) -> None:
    raw = json.dumps(notebook("val x = 1", language_info={"name": language})).encode()
    assert open_document("job.ipynb", raw).source.text == ""


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"{", "is not a notebook: "),
        (b"[]", "is not a notebook: it has no cells"),
        (b'{"a": 1}', "is not a notebook: it has no cells"),
        (b"\xff\xfe", "is not a notebook: "),
        (
            json.dumps(notebook("!ls", "\nx = (")).encode(),
            "cell 2 is not Python 3: line 2",
        ),
        (
            b'{"cells": [{"cell_type": "code", "source": "x = \'\\ud83d\'"}]}',
            "cell 1 is not Python 3: it holds half a character",
        ),
        (b"[" * 100000, "is not a notebook"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(raw: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        open_document("job.ipynb", raw)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_standard_input_may_be_a_notebook() -> None:
    raw = json.dumps(notebook(JOB)).encode()
    assert open_document("-", raw).source.text.endswith("ssc = StreamingContext(sc, 1)\n")


def test_python_2_cells_are_modernised_where_asked_for() -> None:
    source = (
        "!ls\nfrom pyspark.streaming import StreamingContext\ndef f((a, b)):\n"
        "    print a\nprint StreamingContext\n"
    )
    raw = json.dumps(notebook(lines(source), "x = 1"), indent=1).encode()
    with pytest.raises(Unreadable, match="--python2"):
        open_document("job.ipynb", raw)
    cell = json.loads(rewritten(raw, python2=True))["cells"][0]
    assert "".join(cell["source"]) == (
        "!ls\nfrom dstream_compat import StreamingContext\n"
        "def f(a_b):\n    (a, b) = a_b\n    print(a)\nprint(StreamingContext)\n"
    )


# -- magics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("x = 1", "x = 1"),
        ("!ls -l\nx", "#ls -l\nx"),
        ("%matplotlib inline\r\nx", "#matplotlib inline\r\nx"),
        ("%%bash\nls\n\nif x; then", "#%bash\n#s\n\n#f x; then"),
        ("%%time\nx = 1", "#%time\nx = 1"),
        ("pip install x\ny = 1", "#ip install x\ny = 1"),
        ("cd ..\npip = 1\n!ls", "#d ..\npip = 1\n#ls"),
        (
            "?x\nx??\nx.y?",
            "##\nx??\nx.y?".replace("##", "#x").replace("x??", "#??").replace("x.y?", "#.y?"),
        ),
        ("!a \\\n  b\nx", "#a \\\n# b\nx"),
        ("if x:\n    !ls\n    %cd a", "if x:\n    0#s\n    0#d a"),
        ("a, b = !ls", "a, b = 0#s"),
        ("df = %sql select 1", "df = 0#ql select 1"),
        ("x = '''\n%s\n!\n''' % y\n!ls", "x = '''\n%s\n!\n''' % y\n#ls"),
        ("x = (y\n% z)\n!ls", "x = (y\n% z)\n#ls"),
        ("x = y \\\n% z\n!ls", "x = y \\\n% z\n#ls"),
        ("s = '#'; t = \"'\"\n!ls", "s = '#'; t = \"'\"\n#ls"),
        ("# it's\n!ls", "# it's\n#ls"),
    ],
)
def test_lines_for_ipython_are_hidden_in_place(cell: str, shown: str) -> None:
    assert hidden(cell) == shown
    assert len(hidden(cell)) == len(cell)


def test_magic_comments_of_databricks_stay() -> None:
    raw = (
        b"# Databricks notebook source\r\n# MAGIC %pip install x\r\n# COMMAND ----------\r\n"
        b"from pyspark.streaming import StreamingContext\r\n# COMMAND ----------\r\n"
        b"# MAGIC %sql select 'pyspark.streaming'\r\nssc = StreamingContext(sc, 1)"
    )
    document = open_document("job.py", raw)
    project = analyse([document.source])
    result = rewrite(document, rules.findings(project.modules["job.py"], project))
    assert isinstance(result, Changed)
    assert result.after == raw.replace(b"from pyspark.streaming", b"from dstream_compat")
