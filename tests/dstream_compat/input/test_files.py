"""Which files a directory stream takes at which tick, and how local files are split."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from dstream_compat.input.files import FileSource
from dstream_compat.input.filesystem import BLOCK_SIZE, ListedFile, LocalFileSystem, local_path
from dstream_compat.stages.partitions import (
    Batch,
    BrokenPartition,
    Data,
    Partition,
    RecordSplit,
    TextSplit,
    portable_data,
    read_partition,
)

CREATED = 1_000_000
TICK = 1_001_000  # the first tick of a stream with an interval of a second


def put(path: Path, modified: int = TICK - 500, content: bytes = b"x\n") -> Path:
    """A file with a modification time in ms; its directory gets the same if it is made here."""
    if not path.parent.exists():
        path.parent.mkdir(parents=True)
    path.write_bytes(content)
    touch(path, modified)
    return path


def touch(path: Path, modified: int) -> None:
    os.utime(path, ns=(modified * 1_000_000, modified * 1_000_000))


def sparse(path: Path, size: int) -> str:
    with path.open("wb") as file:
        file.truncate(size)
    return str(path)


@pytest.fixture
def source(tmp_path: Path) -> Callable[..., FileSource]:
    def make(directory: object = tmp_path, **options: int) -> FileSource:
        settings = {"interval_ms": 1000, "created_ms": CREATED, **options}
        return FileSource(str(directory), filesystem=LocalFileSystem(), **settings)

    return make


def names(batch: Batch) -> set[str]:
    assert batch.info is not None
    return {path.rpartition("/")[2] for path in batch.info.metadata["files"]}


def content(batch: Batch) -> list[object]:
    return [
        e for partition in batch.partitions for chunk in read_partition(partition) for e in chunk
    ]


def test_a_file_is_taken_once_at_the_first_tick_not_before_its_time(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / "on_time", TICK)
    put(tmp_path / "later", TICK + 1)
    stream = source()
    taken = [names(stream.take(TICK + n * 1000)) for n in range(3)]
    assert taken == [{"on_time"}, {"later"}, set()]


def test_only_files_newer_than_the_stream_itself_are_taken(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / "before", CREATED)
    put(tmp_path / "after", CREATED + 1)
    assert names(source().take(TICK)) == {"after"}


def test_a_file_as_old_as_the_remembered_span_is_never_taken(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    tick = TICK + 100_000
    put(tmp_path / "old", tick - 60_000)
    put(tmp_path / "young", tick - 59_999)
    assert names(source().take(tick)) == {"young"}


def test_the_remembered_span_is_rounded_up_to_whole_intervals(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    tick = CREATED + 700_000
    put(tmp_path / "old", tick - 63_000)
    put(tmp_path / "young", tick - 62_999)
    assert names(source(interval_ms=7000).take(tick)) == {"young"}


def test_a_rewritten_file_is_taken_again_two_ticks_after_the_span(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    stream = source(min_remember_ms=2000)
    ticks = [TICK + n * 1000 for n in range(9)]
    taken = []
    for tick in ticks:
        put(tmp_path / "a", tick - 500)
        if names(stream.take(tick)):
            taken.append(tick)
    assert taken == [TICK, TICK + 4000, TICK + 8000]


def test_a_longer_memory_keeps_a_rewritten_file_out_for_longer(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    stream = source(min_remember_ms=2000, remember_ms=5000)
    taken = []
    for tick in range(TICK, TICK + 9000, 1000):
        put(tmp_path / "a", tick - 500)
        if names(stream.take(tick)):
            taken.append(tick)
    assert taken == [TICK, TICK + 7000]


def test_dot_files_are_not_seen_and_temporary_looking_names_are(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    for name in (".hidden", "a.tmp", "a._COPYING_", "b,[c]*", "d:e %20"):
        put(tmp_path / name)
    batch = source().take(TICK)
    assert names(batch) == {"a.tmp", "a._COPYING_", "b,[c]*", "d:e %20"}
    assert content(batch) == ["x"] * 4


def test_a_name_with_an_underscore_is_left_out_with_one_warning_and_the_others_are_read(
    source: Callable[..., FileSource], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path / "_SUCCESS")
    put(tmp_path / "good")
    stream = source()
    assert names(stream.take(TICK)) == {"good"}
    assert names(stream.take(TICK + 1000)) == set()
    assert [r.levelno for r in caplog.records] == [logging.WARNING]
    assert f"file:{tmp_path}/_SUCCESS is ignored" in caplog.text


def test_a_name_that_is_not_text_is_not_seen(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / os.fsdecode(b"bad\xff"))
    assert names(source().take(TICK)) == set()


def test_listeners_are_told_paths_in_listing_order_and_no_records(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    for name in "cadb":
        put(tmp_path / name, content=name.encode())
    batch = source().take(TICK)
    listed = os.listdir(tmp_path)
    assert batch.info is not None
    assert batch.info.records == 0
    files = [f"file:{tmp_path}/{name}" for name in listed]
    assert batch.info.metadata == {"files": files, "Description": "\n".join(files)}
    assert content(batch) == listed


def test_a_tick_without_new_files_has_no_partitions_and_empty_information(
    source: Callable[..., FileSource],
) -> None:
    batch = source().take(TICK)
    assert batch.partitions == ()
    assert batch.info is not None
    assert batch.info.metadata == {"files": [], "Description": ""}


def test_an_empty_file_is_taken_once_and_for_good_but_has_no_partition(
    source: Callable[..., FileSource], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path / "empty", content=b"")
    stream = source()
    batch = stream.take(TICK)
    assert batch.partitions == ()
    assert names(batch) == {"empty"}
    assert "is empty; data added to it later" in caplog.text
    put(tmp_path / "empty", TICK + 500)
    assert names(stream.take(TICK + 1000)) == set()


def test_a_new_sub_directory_stands_for_the_files_in_it_at_that_moment(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    for name in ("in", "_in", ".in"):
        put(tmp_path / "sub" / name, 0, name.encode())
    put(tmp_path / "sub" / "deeper" / "file")
    touch(tmp_path / "sub", TICK)
    stream = source()
    batch = stream.take(TICK)
    assert names(batch) == {"sub"}
    assert content(batch) == ["in"]
    put(tmp_path / "sub" / "added", TICK + 500)
    touch(tmp_path / "sub", TICK + 500)
    assert names(stream.take(TICK + 1000)) == set()


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("day=*", ["day=1", "day=2", "day=30"]),
        ("day=?", ["day=1", "day=2"]),
        ("day=[12]*", ["day=1", "day=2"]),
        ("day=[^1]*", ["day=2", "day=30"]),
        ("day=[!1-2]*", ["day=30"]),
        ("day={1,3{0,1}}", ["day=1", "day=30"]),
        ("{day=1,other/deep}", ["day=1", "other/deep"]),
        ("{day=1,{other/deep,day=2}}", ["day=1", "day=2", "other/deep"]),
        ("day=1,", []),
        ("*/deep", ["other/deep"]),
        ("od\\[d", ["od[d"]),
        ("*t*", [".dotted", "other"]),
        ("day=1/", ["day=1"]),
        ("other/../day=1", ["day=1"]),
        ("nothing*", []),
        ("a_file", []),
    ],
)
def test_directories_are_found_by_hadoop_patterns(
    tmp_path: Path, pattern: str, found: list[str]
) -> None:
    for name in ("day=1", "day=2", "day=30", "other/deep", "od[d", ".dotted"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a_file").touch()
    expected = [f"file:{tmp_path}/{name}" for name in found]
    assert LocalFileSystem().directories(f"{tmp_path}/{pattern}") == expected
    assert LocalFileSystem().directories(f"file://{tmp_path}/{pattern}") == expected


def test_the_files_of_all_directories_of_a_pattern_are_taken(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / "b" / "one")
    put(tmp_path / "a" / "two")
    put(tmp_path / "not_in_a_directory")
    batch = source(tmp_path / "*").take(TICK)
    assert batch.info is not None
    assert batch.info.metadata["files"] == [f"file:{tmp_path}/a/two", f"file:{tmp_path}/b/one"]


def test_a_missing_directory_is_an_empty_batch_one_warning_and_picked_up_when_it_appears(
    source: Callable[..., FileSource], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stream = source(tmp_path / "late")
    for tick in (TICK, TICK + 1000, TICK + 2000):
        assert names(stream.take(tick)) == set()
    assert caplog.messages == [f"No directory to scan: {tmp_path}/late"]
    put(tmp_path / "late" / "a", TICK + 2500)
    assert names(stream.take(TICK + 3000)) == {"a"}
    (tmp_path / "late" / "a").unlink()
    (tmp_path / "late").rmdir()
    stream.take(TICK + 4000)
    assert len(caplog.messages) == 2


@pytest.mark.parametrize("directory", ["", "file:relative", "/a[b", "/a{b"])
def test_a_path_that_is_none_is_an_empty_batch_and_one_warning(
    source: Callable[..., FileSource], directory: str, caplog: pytest.LogCaptureFixture
) -> None:
    stream = source(directory)
    assert names(stream.take(TICK)) == names(stream.take(TICK + 1000)) == set()
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith(f"Error finding new files under {directory}: ")


class Unlistable(LocalFileSystem):
    """A file system in which one directory cannot be listed until ``healed``."""

    healed = False

    def entries(self, directory: str, after: int) -> Iterable[ListedFile]:
        if directory.endswith("/b") and not self.healed:
            raise PermissionError(13, "Permission denied", directory)
        return super().entries(directory, after)


def test_an_error_in_one_directory_costs_the_batch_its_files_and_they_come_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put(tmp_path / "a" / "one")
    put(tmp_path / "b" / "two")
    files = Unlistable()
    stream = FileSource(f"{tmp_path}/*", interval_ms=1000, created_ms=CREATED, filesystem=files)
    assert names(stream.take(TICK)) == names(stream.take(TICK + 1000)) == set()
    assert len(caplog.messages) == 1
    assert "Permission denied" in caplog.text
    files.healed = True
    assert names(stream.take(TICK + 2000)) == {"one", "two"}


def test_after_a_restart_logged_files_are_known_and_those_of_the_downtime_are_taken_by_their_time(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / "a")
    put(tmp_path / "empty", content=b"")
    first = source()
    history = [(TICK, first.take(TICK)), (TICK + 1000, first.take(TICK + 1000))]
    put(tmp_path / "before_creation", CREATED)
    put(tmp_path / "down1", TICK + 2500)
    put(tmp_path / "down2", TICK + 3500)
    again = source()
    again.recover(history)
    again.start(TICK - 1000)
    taken = [names(again.take(tick)) for tick in range(TICK + 2000, TICK + 6000, 1000)]
    assert taken == [set(), {"down1"}, {"down2"}, set()]


def test_what_a_restart_knows_is_forgotten_like_the_rest(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / "a")
    history = [(TICK, source().take(TICK))]
    again = source(min_remember_ms=2000)
    again.recover(history)
    put(tmp_path / "a", TICK + 3500)
    assert [names(again.take(TICK + ms)) for ms in (3000, 4000)] == [set(), {"a"}]


@pytest.mark.parametrize(
    ("size", "lengths"),
    [
        (0, []),
        (1, [1]),
        (BLOCK_SIZE, [BLOCK_SIZE]),
        (int(BLOCK_SIZE * 1.1), [int(BLOCK_SIZE * 1.1)]),
        (int(BLOCK_SIZE * 1.1) + 1, [BLOCK_SIZE, int(BLOCK_SIZE * 0.1) + 1]),
        (BLOCK_SIZE * 2, [BLOCK_SIZE, BLOCK_SIZE]),
    ],
)
def test_files_are_split_at_blocks_and_the_last_split_may_be_a_tenth_longer(
    tmp_path: Path, size: int, lengths: list[int]
) -> None:
    path = sparse(tmp_path / "a", size)
    expected, start = [], 0
    for length in lengths:
        expected.append(TextSplit(path, start, length))
        start += length
    assert LocalFileSystem().split(f"file:{path}") == tuple(expected)


def test_record_splits_end_where_records_end(tmp_path: Path) -> None:
    path = sparse(tmp_path / "a", 100)
    assert LocalFileSystem(split_size=32).split(path, 10) == (
        RecordSplit(path, 0, 30, 10),
        RecordSplit(path, 30, 30, 10),
        RecordSplit(path, 60, 30, 10),
        RecordSplit(path, 90, 10, 10),
    )
    assert LocalFileSystem(split_size=32).split(path, 50) == (
        RecordSplit(path, 0, 50, 50),
        RecordSplit(path, 50, 50, 50),
    )


def test_a_stream_with_a_record_length_gives_records(
    source: Callable[..., FileSource], tmp_path: Path
) -> None:
    put(tmp_path / "a", content=b"abcdef")
    assert content(source(record_length=3).take(TICK)) == [b"abc", b"def"]


@pytest.mark.parametrize("suffix", ["gz", "bz2", "deflate", "zst", "lz4", "snappy"])
def test_compressed_files_go_to_whoever_can_read_them(tmp_path: Path, suffix: str) -> None:
    path = put(tmp_path / f"a.{suffix}")
    asked = []

    def foreign(name: str) -> tuple[Partition, ...]:
        asked.append(name)
        return (portable_data(["line"]),)

    (partition,) = LocalFileSystem(foreign).split(str(path))
    assert isinstance(partition, Data)
    assert asked == [f"file:{path}"]


@pytest.mark.parametrize(
    ("path", "record_length", "message"),
    [
        ("a.gz", None, "needs Hadoop"),
        ("hdfs://host/a", None, "Reading hdfs://host/a needs Hadoop"),
        ("a.gz", 10, "records cannot be read from"),
        ("missing", None, "Input path does not exist: file:"),
        ("plain", 0, "must be positive, not 0"),
    ],
)
def test_what_cannot_be_read_fails_where_it_is_used_with_one_sentence(
    tmp_path: Path, path: str, record_length: int | None, message: str
) -> None:
    put(tmp_path / "a.gz")
    put(tmp_path / "plain")
    full = path if ":" in path else f"{tmp_path}/{path}"
    (partition,) = LocalFileSystem().split(full, record_length)
    assert isinstance(partition, BrokenPartition)
    assert message in partition.message
    assert "\n" not in partition.message
    with pytest.raises(OSError, match=message):
        list(read_partition(partition))


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("/a//b/", "/a/b"),
        ("file:/a", "/a"),
        ("file:///a%20b", "/a%20b"),
        ("FILE://localhost/a", "/a"),
        ("//a/./b/../c", "/a/c"),
    ],
)
def test_paths_are_read_as_hadoop_does(path: str, plain: str) -> None:
    assert local_path(path) == plain


def test_a_relative_path_is_under_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert local_path("in") == f"{tmp_path}/in"
