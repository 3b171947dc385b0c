"""Reading splits of files: every line and record once, wherever the borders are."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstream_compat.stages import reading
from dstream_compat.stages.reading import read_records, read_text

PIECES = st.sampled_from(
    [
        b"\n",
        b"\r",
        b"\r\n",
        b"a",
        b"bc",
        b"\xef\xbb\xbf",
        "é☃😀".encode(),
        b"\xed\xa0\x80",
        b"\xff",
        b"",
    ]
)
CONTENTS = st.lists(PIECES, max_size=30).map(b"".join)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reading") / "file"


def spans(size: int, borders: list[int]) -> Iterator[tuple[int, int]]:
    """The splits of a file of ``size`` bytes cut at ``borders``, as (start, length)."""
    inside = sorted({border for border in borders if 0 < border < size})
    for start, end in itertools.pairwise([0, *inside, size]):
        yield start, end - start


def lines_of(path: Path, start: int = 0, length: int | None = None) -> list[str]:
    length = path.stat().st_size if length is None else length
    return [line for chunk in read_text(str(path), start, length, 3) for line in chunk]


def model(content: bytes) -> list[str]:
    """The lines of a whole file, the slow and obvious way."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    lines = re.split(rb"\r\n|\r|\n", content)
    if lines[-1] == b"":
        lines.pop()
    one_per_surrogate = [re.sub(rb"\xed[\xa0-\xbf][\x80-\xbf]?", b"\xff", line) for line in lines]
    return [line.decode("utf-8", "replace") for line in one_per_surrogate]


@given(content=CONTENTS, borders=st.lists(st.integers(1, 60), max_size=8))
def test_splits_together_give_every_line_of_the_file_once(
    file: Path, content: bytes, borders: list[int]
) -> None:
    file.write_bytes(content)
    split = [lines_of(file, *span) for span in spans(len(content), borders)]
    assert list(itertools.chain(*split)) == model(content)


@given(
    content=CONTENTS,
    borders=st.lists(st.integers(1, 60), max_size=4),
    block=st.integers(1, 5),
)
def test_lines_do_not_depend_on_how_much_is_read_at_a_time(
    file: Path, content: bytes, borders: list[int], block: int
) -> None:
    file.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "BLOCK", block)
        split = [lines_of(file, *span) for span in spans(len(content), borders)]
    assert list(itertools.chain(*split)) == model(content)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a", ["a"]),
        (b"a\n\n\nb", ["a", "", "", "b"]),
        (b"a\rb\r\nc\n\rd", ["a", "b", "c", "", "d"]),
        (b"a\r", ["a"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\n", [""]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb", ["a", "\ufeffb"]),
        (b"a\x0bb\x0cc\x1cd\xc2\x85e\xe2\x80\xa8f\n", ["a\x0bb\x0cc\x1cd\x85e\u2028f"]),
        (b"\xff\xfe\n\xe2\x82\nok", ["\ufffd\ufffd", "\ufffd", "ok"]),
        (b"\xed\xa0\x80\n\xed\xa0\n\xed", ["\ufffd", "\ufffd", "\ufffd"]),
    ],
)
def test_lines_are_those_of_hadoop(file: Path, content: bytes, lines: list[str]) -> None:
    file.write_bytes(content)
    assert lines_of(file) == lines


def test_a_line_that_starts_on_a_border_belongs_to_the_split_before_it(file: Path) -> None:
    file.write_bytes(b"ab\ncd\nef\n")
    assert lines_of(file, 0, 3) == ["ab", "cd"]
    assert lines_of(file, 3, 6) == ["ef"]


def test_a_border_within_a_terminator_gives_the_next_line_to_the_split_after_it(file: Path) -> None:
    file.write_bytes(b"ab\r\ncd\r\n")
    assert lines_of(file, 0, 3) == ["ab"]
    assert lines_of(file, 3, 5) == ["cd"]


def test_a_file_cut_short_since_it_was_split_gives_what_is_left(file: Path) -> None:
    file.write_bytes(b"ab\ncd")
    assert lines_of(file, 0, 1000) == ["ab", "cd"]
    assert lines_of(file, 500, 500) == []


def test_lists_have_the_size_asked_for_and_the_last_one_the_rest(file: Path) -> None:
    file.write_bytes(b"x\n" * 2500)
    assert [len(c) for c in read_text(str(file), 0, 5000, 1000)] == [1000, 1000, 500]


def test_a_large_file_is_streamed(file: Path) -> None:
    file.write_bytes(b"0123456789abcde\n" * (4 << 20))  # 64 MiB
    tracemalloc.start()
    try:
        first = next(read_text(str(file), 0, 64 << 20, 1000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(first) == 1000
    assert peak < 16 << 20


@given(
    records=st.integers(0, 40),
    record_length=st.integers(1, 9),
    chunk=st.integers(1, 7),
    borders=st.lists(st.integers(1, 200), max_size=6),
)
def test_splits_together_give_every_record_once(
    file: Path, records: int, record_length: int, chunk: int, borders: list[int]
) -> None:
    content = bytes(i % 251 for i in range(records * record_length))
    file.write_bytes(content)
    lists = [
        part
        for start, length in spans(len(content), borders)
        for part in read_records(str(file), start, length, record_length, chunk)
    ]
    assert all(0 < len(part) <= chunk for part in lists)
    assert list(itertools.chain(*lists)) == [
        content[at : at + record_length] for at in range(0, len(content), record_length)
    ]


def test_a_partial_record_at_the_end_is_an_error_after_the_whole_ones(file: Path) -> None:
    file.write_bytes(b"abcdefgh")
    chunks = read_records(str(file), 0, 8, 3, 10)
    assert next(chunks) == [b"abc", b"def"]
    with pytest.raises(EOFError, match="ends 2 bytes into the record at byte 6"):
        next(chunks)


@pytest.mark.parametrize("record_length", [0, -1])
def test_a_record_length_that_is_not_positive_is_refused(file: Path, record_length: int) -> None:
    file.write_bytes(b"abc")
    with pytest.raises(ValueError, match="must be positive"):
        next(read_records(str(file), 0, 3, record_length, 10))
