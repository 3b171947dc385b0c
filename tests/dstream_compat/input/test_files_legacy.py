"""Local reading against Hadoop's own, on files made to be misread."""

from __future__ import annotations

import bz2
import gzip
import itertools
import os
import pickle
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkConf, SparkContext

from dstream_compat.connectors.hadoop.hadoop_filesystem import (
    HadoopFileSystem,
    filesystem_for,
)
from dstream_compat.engine.shipping import on_workers
from dstream_compat.input.files import FileSource
from dstream_compat.input.filesystem import LocalFileSystem
from dstream_compat.stages.partitions import (
    BrokenPartition,
    Data,
    Partition,
    TextSplit,
    read_partition,
)
from dstream_compat.stages.reading import read_text
from dstream_compat.stages.worker import pack_values

INPUT = "mapreduce.input.fileinputformat"
PACK = on_workers("pack_values")
NASTY = {
    "cr": b"a\rbb\r\rccc\r",
    "crlf": b"a\r\nbb\r\n\r\nccc",
    "mixed": b"\r\n\n\r\n\r\ra\n\rb\r\n",
    "bom": b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n",
    "bom_only": b"\xef\xbb\xbf",
    "bom_and_line_end": b"\xef\xbb\xbf\r\nx",
    "no_final_line_end": b"one\ntwo",
    "blank": b"\n\n\n",
    "separators_that_are_none": "a\x0bb\x0cc\x1c\x85d\u2028e\n".encode(),
    "bad_utf8": b"\xff\xfe\n\xe2\x82\n\xe2\x82\xac\n\xf0\x9f\x98\n\xc3(\xa0\xa1\n\xe0\x80\xaf\xf8",
    "surrogates": b"\xed\xa0\x80\xed\xb0\x80\n\xed\xa0\n\xed\xa0x\xed\n\xed\x9f\xbf",
    "long_line": b"x" * 50 + b"\n" + "é".encode() * 20,
}


@pytest.fixture(scope="module")
def sc() -> Iterator[SparkContext]:
    running = SparkContext._active_spark_context
    conf = SparkConf().setMaster("local[2]").setAppName("files").set("spark.ui.enabled", "false")
    context = SparkContext.getOrCreate(conf)
    yield context
    if running is None:
        context.stop()


def by_hadoop(sc: SparkContext, path: Path, **conf: str) -> list[list[str]]:
    """The lines of each partition of a file, read by Spark."""
    lines: Any = sc.newAPIHadoopFile(
        f"file:{path}",
        "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
        "org.apache.hadoop.io.LongWritable",
        "org.apache.hadoop.io.Text",
        conf={f"{INPUT}.{name}": value for name, value in conf.items()},
    )
    found: list[list[str]] = lines.values().glom().collect()
    return found


def by_us(path: Path, split_size: int) -> list[list[str]]:
    return [elements(p) for p in LocalFileSystem(split_size=split_size).split(str(path))]


def elements(partition: Partition) -> list[Any]:
    return list(itertools.chain.from_iterable(read_partition(partition)))


@pytest.mark.parametrize("split_size", [1, 3, 7])
@pytest.mark.parametrize("name", NASTY)
def test_every_split_has_the_lines_hadoop_gives_it(
    sc: SparkContext, tmp_path: Path, name: str, split_size: int
) -> None:
    path = tmp_path / "file"
    path.write_bytes(NASTY[name])
    split = {"split.maxsize": str(split_size)}
    assert by_us(path, split_size) == by_hadoop(sc, path, **split)


def test_random_bytes_are_lines_as_hadoop_sees_them(sc: SparkContext, tmp_path: Path) -> None:
    # Weighted towards what decoders disagree about: lead bytes, continuations, line ends.
    alphabet = bytes(
        [*range(0x80, 0x100), *b"\n\r\r\naz", *b"\xed\xa0\xbf\x80\xf0\xf4\x90\xe0"] * 2
    )
    path = tmp_path / "file"
    path.write_bytes(bytes(random.Random(7).choices(alphabet + b"\n" * 40, k=200_000)))
    assert by_us(path, 30_000) == by_hadoop(sc, path, **{"split.maxsize": "30000"})


def test_a_line_longer_than_any_buffer_crosses_splits_as_in_hadoop(
    sc: SparkContext, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\n" + b"x" * 3_000_000 + b"\r" + b"y" * 1_500_000 + b"\r\nz")
    assert by_us(path, 1 << 20) == by_hadoop(sc, path, **{"split.maxsize": str(1 << 20)})


def test_splits_have_the_size_hadoop_gives_them_unless_it_is_told_otherwise(
    sc: SparkContext, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    line = b"0123456789abcde\n"
    path.write_bytes(line * ((72 << 20) // len(line)))
    files = filesystem_for(str(tmp_path), sc, PACK)
    counted: Any = sc.newAPIHadoopFile(
        str(path),
        "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
        "org.apache.hadoop.io.LongWritable",
        "org.apache.hadoop.io.Text",
    )
    ours = [
        sum(map(len, read_text(s.path, s.start, s.length, 1000)))
        for s in files.split(str(path))
        if isinstance(s, TextSplit)
    ]
    assert ours == counted.mapPartitions(lambda part: [sum(1 for _ in part)]).collect()


def hadoop_conf(sc: SparkContext) -> Any:
    jsc: Any = sc._jsc
    return jsc.hadoopConfiguration()


def test_split_sizes_and_delimiters_of_the_hadoop_configuration_are_heeded(
    sc: SparkContext, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a;b\n" * 10)
    conf = hadoop_conf(sc)
    conf.set(f"{INPUT}.split.maxsize", "15")
    try:
        assert len(filesystem_for(str(tmp_path), sc, PACK).split(str(path))) == 3
    finally:
        conf.unset(f"{INPUT}.split.maxsize")
    conf.set("textinputformat.record.delimiter", ";")
    try:
        (partition,) = filesystem_for(str(tmp_path), sc, PACK).split(str(path))
        assert elements(partition) == ["a", *["b\na"] * 9, "b\n"]
    finally:
        conf.unset("textinputformat.record.delimiter")


def test_compressed_files_are_read_by_spark(sc: SparkContext, tmp_path: Path) -> None:
    lines = [f"line {n} é" for n in range(2500)]
    text = "\r\n".join(lines).encode()
    (tmp_path / "a.gz").write_bytes(gzip.compress(text))
    (tmp_path / "b,[1].bz2").write_bytes(bz2.compress(text))
    (tmp_path / "nothing.gz").write_bytes(gzip.compress(b""))
    files = filesystem_for(str(tmp_path), sc, PACK)
    assert isinstance(files, LocalFileSystem)
    (zipped,) = files.split(f"file:{tmp_path}/a.gz")
    assert isinstance(zipped, Data)
    assert (zipped.records, len(zipped.chunks)) == (2500, 3)
    assert elements(zipped) == lines
    (other,) = files.split(f"{tmp_path}/b,[1].bz2")
    assert elements(other) == lines
    assert files.split(f"{tmp_path}/nothing.gz") == (Data((), 0),)


def test_hadoop_and_python_see_the_same_directories_and_entries(
    sc: SparkContext, tmp_path: Path
) -> None:
    for name in ("a/x", "a/.y", "a/_z", "a/sub/w", "b c/x", "{d}/x", ".e/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    os.utime(tmp_path / "a" / "x", ns=(0, 1_234_567_899_999_999))
    hadoop, local = HadoopFileSystem(sc, PACK), LocalFileSystem()
    patterns = "* [ab]* [^a] [!a] {b?c,a} a a/x none no* \\{d\\} */s?b {b?c,a/sub}"
    for pattern in [*patterns.split(), "b c", "{a/{sub,none},b c}", "{a/sub,a/s*}"]:
        found = local.directories(f"{tmp_path}/{pattern}")
        assert found == hadoop.directories(f"{tmp_path}/{pattern}")
        for directory in found:
            assert list(local.entries(directory, -1)) == list(hadoop.entries(directory, -1))
    (old,) = [e for e in local.entries(f"{tmp_path}/a", 1_234_567_898) if e.name == "x"]
    assert old in hadoop.entries(f"{tmp_path}/a", 1_234_567_898)
    assert old not in hadoop.entries(f"{tmp_path}/a", 1_234_567_899)


def test_a_stream_through_hadoop_is_the_stream_through_python(
    sc: SparkContext, tmp_path: Path
) -> None:
    for name, content in (("a", b"one\rtwo"), ("_b", b"no"), ("c,d", b"three"), ("sub/e", b"four")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "sub" / "deeper").mkdir()
    for found in tmp_path.iterdir():
        os.utime(found, ns=(0, 500_000_000))
    batches = [
        FileSource(str(tmp_path), interval_ms=1000, created_ms=0, filesystem=files).take(1000)
        for files in (HadoopFileSystem(sc, PACK), LocalFileSystem())
    ]
    hadoop, local = [[elements(p) for p in batch.partitions] for batch in batches]
    assert hadoop == local
    assert sorted(itertools.chain(*local)) == ["four", "one", "three", "two"]
    assert batches[0].info == batches[1].info


def test_records_are_those_of_spark_and_a_partial_one_is_an_error(
    sc: SparkContext, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(100)))
    hadoop = HadoopFileSystem(sc, PACK)
    (read,) = hadoop.split(str(path), 10)
    spark: Any = sc.binaryRecords(str(path), 10)
    (ours,) = LocalFileSystem().split(str(path), 10)
    assert elements(read) == elements(ours) == spark.collect()
    (partial,) = hadoop.split(str(path), 30)
    assert isinstance(partial, BrokenPartition)
    assert partial.message == f"Cannot read {path}: java.io.EOFException"


def test_a_file_that_is_not_there_is_one_sentence(sc: SparkContext, tmp_path: Path) -> None:
    (broken,) = HadoopFileSystem(sc, PACK).split(f"file:{tmp_path}/none")
    assert isinstance(broken, BrokenPartition)
    assert f"Input path does not exist: file:{tmp_path}/none" in broken.message
    assert "\n" not in broken.message


def test_other_schemes_go_to_hadoop(sc: SparkContext) -> None:
    assert isinstance(filesystem_for("hdfs://nowhere/in", sc, PACK), HadoopFileSystem)
    assert isinstance(filesystem_for("file:/in", sc, PACK), LocalFileSystem)
    assert isinstance(filesystem_for("in/*", sc, PACK), LocalFileSystem)
    conf = hadoop_conf(sc)
    before = conf.get("fs.defaultFS")
    conf.set("fs.defaultFS", "hdfs://nowhere")
    try:
        assert isinstance(filesystem_for("/in", sc, PACK), HadoopFileSystem)
    finally:
        conf.set("fs.defaultFS", before)


def test_the_values_of_pairs_are_packed_bytes_as_bytes() -> None:
    ((chunks, records),) = pack_values([(0, "a"), (1, bytearray(b"b"))])
    assert ([pickle.loads(chunk) for chunk in chunks], records) == ([["a", b"b"]], 2)
