"""What record.py writes is what the reader gives back; old Pythons can run it."""

from __future__ import annotations

import base64
import bz2
import collections
import datetime
import decimal
import gzip
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.resultiterable import ResultIterable
from pyspark.sql import Row

from dstream_compat import record
from dstream_parity import Seen, difference
from dstream_parity.verify.child import standins
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs import recording

RECORD = Path(record.__file__)
Point = collections.namedtuple("Point", "x y")

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.decimals(allow_nan=False),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.timedeltas(),
    st.uuids(),
    st.complex_numbers(),
)
HASHABLE = st.one_of(SCALARS, st.tuples(SCALARS, SCALARS))
ELEMENTS = st.recursive(
    st.one_of(SCALARS, st.frozensets(HASHABLE), st.sets(HASHABLE)),
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.dictionaries(HASHABLE, inner),
    ),
    max_leaves=10,
)


def same(a: Any, b: Any) -> str | None:
    return difference([[Seen(((a,),))]], [[Seen(((b,),))]])


@given(ELEMENTS)
def test_every_element_comes_back_with_its_types(element: Any) -> None:
    line = record.dumps(element)
    assert "\n" not in line
    line.encode("ascii")
    assert same(recording.loads(line, trust=True), element) is None


@pytest.mark.parametrize(
    "element",
    [
        float("nan"),
        -0.0,
        2**100,
        "\ud800 lone",
        Row(name="a", n=1),
        Row("plain", 2),
        Row("name", "n")("b", 2),
        ("key", ResultIterable([1, 2])),
        datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc),
        bytearray(b"\x00\xff"),
        {"$tuple": [1]},
        {("k", 1): {None: decimal.Decimal("1.10")}},
        uuid.UUID(int=7),
    ],
)
def test_odd_elements_come_back(element: Any) -> None:
    assert same(recording.loads(record.dumps(element)), element) is None


def test_what_has_no_tag_is_pickled_and_loaded_only_where_it_is_trusted() -> None:
    line = record.dumps(("p", Point(1, 2)))
    with pytest.raises(Refused, match=r"it contains pickled elements.*use --trust"):
        recording.loads(line)
    assert recording.loads(line, trust=True) == ("p", Point(1, 2))


# _restore("Click", ("user", "page"), ("ada", "/home")) of pyspark.serializers, in protocol 2
OF_SPARK_2 = (
    b"\x80\x02cpyspark.serializers\n_restore\n"
    + pickle.dumps(("Click", ("user", "page"), ("ada", "/home")), 2)[2:-1]
    + b"R."
)


def line_of(pickled: bytes) -> str:
    return json.dumps({"$pickle": base64.b64encode(pickled).decode()})


def test_named_tuples_of_spark_2_come_back_and_can_go_on_to_the_job() -> None:
    click = recording.loads(line_of(OF_SPARK_2), trust=True)
    assert (type(click).__name__, click.user, click.page) == ("Click", "ada", "/home")
    again = pickle.loads(pickle.dumps(click))
    assert again == click
    assert type(again) is type(click)


def test_a_named_tuple_of_spark_2_is_equal_to_one_of_the_job() -> None:
    class Click(NamedTuple):
        user: str
        page: str

    recorded = recording.loads(line_of(OF_SPARK_2), trust=True)
    ours, other = (standins.there_and_back(Click("ada", page)) for page in ("/home", "/cart"))
    assert same(standins.there_and_back(recorded), ours) is None
    assert same(standins.there_and_back(recorded), other) is not None


@pytest.mark.parametrize(
    ("pickled", "sentence"),
    [
        (
            b"c__main__\nClick\n.",
            r"instance of Click, a class of the job's own file, which cannot be imported",
        ),
        (b"cno_such_module\nClick\n.", r"needs no_such_module\.Click, .* \(ModuleNotFoundError\)"),
        (
            b"cjson\nClick\n.",
            r"needs json\.Click, which cannot be imported here \(AttributeError\)",
        ),
        (b"cbuiltins\nint\n(S'x'\ntR.", r"x:1 is not tagged JSON \(ValueError\)"),
        (b"", r"x:1 is not tagged JSON \(EOFError\)"),
    ],
)
def test_pickles_that_cannot_be_loaded_are_refused_in_a_sentence(
    pickled: bytes, sentence: str
) -> None:
    with pytest.raises(Refused, match=sentence):
        recording.loads(line_of(pickled), trust=True, where="x:1")


def test_what_cannot_be_pickled_is_named() -> None:
    with pytest.raises(
        Refused, match=r"an element of type builtins\.function could not be recorded"
    ):
        recording.loads(record.dumps(lambda: None))


@pytest.mark.parametrize(
    "line",
    [
        *("{", '{"$decimal": "x"}', '{"$date": 3}', '{"$new": 1}', ""),
        *('{"$uuid": 3}', '{"$py2str": 3}', '{"$row": 3}', b'"\xff"', "[" * 100_000),
    ],
)
def test_damaged_lines_are_refused_with_their_place(line: str | bytes) -> None:
    with pytest.raises(Refused, match=r"rec/part-00000:7"):
        recording.loads(line, where="rec/part-00000:7")


def test_a_str_of_python_2_is_text_where_it_can_be() -> None:
    assert recording.loads('{"$py2str": "plain"}') == "plain"
    assert recording.loads(json.dumps({"$py2str": "é".encode().decode("latin-1")})) == "é"
    assert recording.loads(json.dumps({"$py2str": "\xff"})) == b"\xff"


def test_record_runs_on_python_2_7_and_3_5() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import vermin; vermin.main()", "-t=2.7-", "-t=3.5-", str(RECORD)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_record_imports_nothing_of_ours() -> None:
    assert "dstream_compat" not in RECORD.read_text().replace("DSTREAM_COMPAT_VERIFY", "")


ON_PYTHON_2 = """
# -*- coding: utf-8 -*-
import datetime, decimal, sys
sys.path.insert(0, sys.argv[1])
import record
class Old: pass
for element in [
    ("plain", u"text \\u20ac", 1, 2 ** 70, True, None, 1.5, float("inf"), float("nan")),
    {"k": [u"v", set([1]), frozenset([2])]},
    "\\xff\\x00", bytearray(b"\\x01"),
    datetime.datetime(2020, 1, 2, 3, 4, 5, 6), datetime.date(2020, 1, 2), decimal.Decimal("1.10"),
    Old(),
]:
    print(record.dumps(element))
"""


def runs(python: str) -> bool:
    """Whether there is such a Python; a shim of pyenv may be there without one."""
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", "import json"], capture_output=True).returncode == 0


PYTHON2 = os.environ.get("PYTHON2", "python2.7")


@pytest.mark.skipif(not runs(PYTHON2), reason="there is no Python 2.7 here (PYTHON2 names one)")
def test_what_python_2_records_python_3_reads(tmp_path: Path) -> None:
    shutil.copy(RECORD, tmp_path)
    done = subprocess.run(
        [PYTHON2, "-c", ON_PYTHON_2, str(tmp_path)],
        capture_output=True,
        text=True,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )
    assert done.returncode == 0, done.stderr
    *lines, odd = done.stdout.splitlines()
    read = [recording.loads(line) for line in lines]
    assert read[0][:8] == ("plain", "text €", 1, 2**70, True, None, 1.5, float("inf"))
    assert math.isnan(read[0][8])
    assert [type(value) for value in read[0][:5]] == [str, str, int, int, bool]
    assert read[1:] == [
        {"k": ["v", {1}, frozenset([2])]},
        b"\xff\x00",
        bytearray(b"\x01"),
        datetime.datetime(2020, 1, 2, 3, 4, 5, 6),
        datetime.date(2020, 1, 2),
        decimal.Decimal("1.10"),
    ]
    assert odd.startswith('{"$pickle":')


def test_a_directory_without_a_recording_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text("{}")
    with pytest.raises(Refused, match=r"has no readable recording\.json \(KeyError\)"):
        recording.read(str(tmp_path))
    (tmp_path / "recording.json").write_text('{"format": 99}')
    with pytest.raises(
        Refused, match="is a recording of format 99, and this version reads format 1"
    ):
        recording.read(str(tmp_path))


@pytest.fixture
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("in_berlin")
def test_batch_times_are_right_in_the_hour_that_comes_twice() -> None:
    summer, winter = 1698539400, 1698543000  # 2:30 of 29 October 2023, and 2:30 an hour later
    for seconds in (summer, winter, winter + 3600, 0):
        moment = datetime.datetime.fromtimestamp(seconds + 0.25)
        assert record._milliseconds(moment) == seconds * 1000 + 250
        # as Python 2 has it, which knows the hour by when the batch is run
        assert record._seconds(moment.timetuple(), now=seconds + 2.0) == seconds


def test_names_are_plain_and_used_once() -> None:
    made = record.Recording("/nowhere")
    with pytest.raises(ValueError, match="the name of a recorded stream may have"):
        made.output("../up", object())


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("", bytes), (".gz", gzip.compress), (".bz2", bz2.compress), (".deflate", zlib.compress)],
)
def test_parts_that_a_cluster_has_compressed_are_read(
    tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]
) -> None:
    stream = recorded_stream(tmp_path, f"part-00000{suffix}", pack(b'"a"\n"b"\n'))
    assert stream.batches == {1000: [["a", "b"]]}


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("part-00000.snappy", "is compressed in an unknown format: unpack it"),
        ("part-00000.gz", r"part-00000\.gz cannot be read \(BadGzipFile\)"),
    ],
)
def test_parts_that_cannot_be_read_are_refused(tmp_path: Path, name: str, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        recorded_stream(tmp_path, name, b"?").batches  # noqa: B018


def recorded_stream(directory: Path, part: str, content: bytes) -> recording.RecordedStream:
    (directory / "lines" / "1000").mkdir(parents=True)
    (directory / "lines" / "1000" / part).write_bytes(content)
    path = str(directory / "lines")
    return recording.RecordedStream(path, "lines", "input", 0, False, (), {}, trust=False)
