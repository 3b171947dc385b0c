"""`migrate graph`: the stream graph for people."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrator.cli import migrate
from migrator.model.jobmodel import Project
from migrator.report import graphs, pictures
from tests.migrator.model.inference import HEAD, project

JOB = """\
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 5)
orders = KafkaUtils.createDirectStream(ssc, ["secret-topic"], {"sasl": "secret"})
users = ssc.textFileStream("hdfs:///secret").map(parse)
named = orders.map(key).join(users)
named.pprint()
named.foreachRDD(write)
"""


def drawn(code: str, how: str) -> str:
    of = project(code)
    draw = pictures.svg if how == "svg" else getattr(graphs, how)
    return str(draw(of, of.jobs[0]))


def graph(*arguments: str, input: bytes | None = None) -> Result:
    return CliRunner().invoke(migrate, ["graph", *arguments], input=input)


@pytest.fixture(autouse=True)
def _in_a_directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_tree_goes_from_sources_to_outputs() -> None:
    assert drawn(JOB, "tree") == (
        "job.py, batches of 5 s\n"
        "├─ orders = KafkaUtils.createDirectStream  (line 4)\n"
        "│  └─ map  (line 6)\n"
        "│     └─ named = join  (line 6)\n"
        "│        ├─ pprint  (line 7)\n"
        "│        └─ foreachRDD  (line 8)\n"
        "└─ textFileStream  (line 5)\n"
        "   └─ users = map  (line 5)\n"
        "      └─ named = join  (line 6, see above)\n"
    )


def test_mermaid_has_every_stream_and_every_edge_once() -> None:
    assert drawn(HEAD + "lines.map(str).pprint()\n", "mermaid") == (
        "flowchart TD\n"
        '    s0(["socketTextStream<br>lines<br>line 3"])\n'
        '    s1["map<br>line 4"]\n'
        '    s2[/"pprint<br>line 4"/]\n'
        "    s0 --> s1\n"
        "    s1 --> s2\n"
    )


def test_the_picture_is_well_formed_and_has_a_box_per_stream() -> None:
    root = ElementTree.fromstring(drawn(JOB, "svg"))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f".//{space}rect")) == 7
    assert len(root.findall(f"{space}path")) == 6
    words = [node.text for node in root.iter(f"{space}text")]
    assert {"join", "named · line 6", "foreachRDD"} < set(words)


@pytest.mark.parametrize("how", ["tree", "mermaid", "svg"])
def test_arguments_are_never_shown(how: str) -> None:
    assert "secret" not in drawn(JOB, how)


def boxes(picture: str) -> list[tuple[float, float, float, float]]:
    found = re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', picture)
    return [(float(x), float(y), float(x) + float(w), float(y) + float(h)) for x, y, w, h in found]


def test_boxes_do_not_overlap_and_stay_in_the_picture() -> None:
    many = HEAD + "".join(f"s{n} = lines.map(f{n})\ns{n}.pprint()\n" for n in range(9))
    picture = drawn(many + "ssc.union(s1, s5, lines).foreachRDD(f)\n", "svg")
    root = ElementTree.fromstring(picture)
    placed = boxes(picture)
    for index, (x0, y0, x1, y1) in enumerate(placed):
        assert 0 <= x0 < x1 <= float(root.attrib["width"])
        assert 0 <= y0 < y1 <= float(root.attrib["height"])
        for a0, b0, a1, b1 in placed[:index]:
            assert x1 <= a0 or a1 <= x0 or y1 <= b0 or b1 <= y0


LOOPS = [
    "for p in ps:\n    lines = lines.union(lines.map(p))\nlines.pprint()\n",
    "def again(s):\n    return again(s.map(f))\nagain(lines)\n",
    "s = None\nwhile x:\n    t = s.map(f) if s else lines\n    s = t.filter(g)\ns.pprint()\n",
]


@pytest.mark.parametrize("how", ["tree", "mermaid", "svg"])
@pytest.mark.parametrize("body", LOOPS)
def test_streams_made_from_themselves_can_be_drawn(how: str, body: str) -> None:
    assert "map" in drawn(HEAD + body, how)


def test_a_stream_of_unknown_origin_is_called_so() -> None:
    code = "def run(stream):\n    stream.map(f).foreachRDD(g)\n"
    assert "stream = stream of unknown origin  (line 1, guessed)" in drawn(code, "tree")


def test_nothing_to_draw_is_an_empty_picture() -> None:
    of = project("from pyspark.streaming import StreamingContext\n")
    assert isinstance(of, Project)
    assert pictures.svg(of, of.jobs[0]) == ""


def test_the_command_prints_the_tree() -> None:
    Path("job.py").write_text(JOB)
    result = graph("job.py")
    assert result.exit_code == 0
    assert result.stdout == drawn(JOB, "tree")


def test_the_command_writes_a_picture() -> None:
    Path("job.py").write_text(JOB)
    result = graph("job.py", "-f", "svg", "-o", "job.svg")
    assert (result.exit_code, result.output) == (0, "")
    assert Path("job.svg").read_text().startswith("<svg")


def test_streams_of_another_module_have_its_name() -> None:
    Path("helper.py").write_text("def show(stream):\n    stream.pprint()\n")
    Path("job.py").write_text(HEAD + "import helper\nhelper.show(lines)\nssc.start()\n")
    assert "└─ pprint  (helper.py:2)" in graph(".").stdout


def test_a_notebook_has_cells() -> None:
    cells = [
        {"cell_type": "code", "source": HEAD, "metadata": {}, "outputs": []},
        {"cell_type": "code", "source": "%time\nlines.pprint()", "metadata": {}, "outputs": []},
    ]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    Path("job.ipynb").write_text(json.dumps(book))
    assert "pprint  (cell 2, line 2)" in graph("job.ipynb").stdout


def test_standard_input_is_read() -> None:
    assert "pprint" in graph("-", input=JOB.encode()).stdout


def test_a_file_without_streams_is_said() -> None:
    Path("job.py").write_text("import os\n")
    result = graph("job.py")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no streams found\n")


def test_a_file_that_does_not_parse_is_said_and_the_others_are_drawn() -> None:
    Path("bad.py").write_text("ssc = (:\n")
    Path("job.py").write_text(JOB)
    result = graph(".")
    assert result.exit_code == 2
    assert "bad.py: is not Python 3" in result.stderr
    assert "textFileStream" in result.stdout


def test_a_file_in_a_directory_that_has_nothing_to_do_with_streams_is_not_even_parsed() -> None:
    Path("bad.py").write_text("def (:\n")
    Path("job.py").write_text(JOB)
    result = graph(".")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "textFileStream" in result.stdout
    assert "bad.py: is not Python 3" in graph(".", "bad.py").stderr, "it was asked for"


def test_a_helper_that_does_not_speak_of_streams_itself_is_followed() -> None:
    Path("helper.py").write_text("def doubled(s):\n    return s.flatMap(lambda x: [x, x])\n")
    Path("job.py").write_text(f"from helper import doubled\n{JOB}doubled(orders).pprint()\n")
    assert "flatMap  (helper.py:2)" in graph(".").stdout


def test_a_path_that_is_not_there_is_a_usage_error() -> None:
    result = graph("nowhere.py")
    assert result.exit_code == 2
    assert "nowhere.py: no such file or directory" in result.stderr


def test_a_picture_of_several_jobs_is_refused() -> None:
    Path("one.py").write_text(JOB)
    Path("two.py").write_text(JOB)
    result = graph(".", "-f", "svg")
    assert result.exit_code == 2
    assert "name a single file" in result.stderr
