"""Files that only Hadoop can list or read: other schemes than ``file:``, and compressed ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pyspark import SparkContext

from dstream_compat.base.pyspark_internals import hadoop_conf, java_cause, jvm
from dstream_compat.input.filesystem import (
    BLOCK_SIZE,
    FileSystem,
    ListedFile,
    LocalFileSystem,
    scheme_of,
)
from dstream_compat.stages.partitions import BrokenPartition, Data, Partition

INPUT = "mapreduce.input.fileinputformat"
TEXT = "org.apache.hadoop.mapreduce.lib.input.TextInputFormat"
RECORDS = "org.apache.spark.input.FixedLengthBinaryInputFormat"
WRITABLE = "org.apache.hadoop.io"

Pack = Callable[[Iterable[tuple[Any, Any]]], Iterator[tuple[list[bytes], int]]]


class HadoopFileSystem:
    """Any file system Hadoop knows, through the driver's JVM.

    A file is read by a Spark job at the moment it is split, so its content passes the driver.
    ``pack`` runs on executors: it makes chunks of the values of a partition's pairs.
    """

    def __init__(self, sc: SparkContext, pack: Pack) -> None:
        self._sc = sc
        self._pack = pack

    def directories(self, pattern: str) -> list[str]:
        path = self._path(pattern)
        found = path.getFileSystem(hadoop_conf(self._sc)).globStatus(path)
        return [status.getPath().toString() for status in found or () if status.isDirectory()]

    def entries(self, directory: str, after: int) -> Iterable[ListedFile]:
        path = self._path(directory)
        entries = []
        for status in path.getFileSystem(hadoop_conf(self._sc)).listStatus(path):
            # Every question is a call to the JVM: the old files, which are most, get just one.
            modified = status.getModificationTime()
            if modified > after:
                full = status.getPath().toString()
                name = full.rpartition("/")[2]
                entry = ListedFile(full, name, modified, status.isDirectory(), status.getLen())
                entries.append(entry)
        return entries

    def split(self, path: str, record_length: int | None = None) -> tuple[Partition, ...]:
        conf = {
            f"{INPUT}.inputdir": _escaped(path),
            f"{INPUT}.input.dir.nonrecursive.ignore.subdirs": "true",
        }
        try:
            pairs: Any
            if record_length is None:
                pairs = self._sc.newAPIHadoopRDD(
                    TEXT, f"{WRITABLE}.LongWritable", f"{WRITABLE}.Text", conf=conf
                )
            elif record_length <= 0:
                return (
                    BrokenPartition(f"The record length must be positive, not {record_length}."),
                )
            else:
                conf[f"{RECORDS}.recordLength"] = str(record_length)
                pairs = self._sc.newAPIHadoopRDD(
                    RECORDS, f"{WRITABLE}.LongWritable", f"{WRITABLE}.BytesWritable", conf=conf
                )
            packed = pairs.mapPartitions(self._pack).collect()
        except Exception as error:  # Py4JJavaError or, with a SparkSession about, another
            return (BrokenPartition(f"Cannot read {path}: {_reason(error)}"),)
        return tuple(Data(tuple(chunks), records) for chunks, records in packed)

    def _path(self, path: str) -> Any:
        return jvm(self._sc).org.apache.hadoop.fs.Path(path)


def filesystem_for(path: str, sc: SparkContext, pack: Pack) -> FileSystem:
    """What lists and reads ``path`` (a directory or a glob pattern of directories).

    Local files are read by Python where that gives what Hadoop would with the configuration of
    ``sc``; everything else goes through Hadoop.
    """
    hadoop = HadoopFileSystem(sc, pack)
    conf = hadoop_conf(sc)
    package = jvm(sc).org.apache.hadoop
    scheme = scheme_of(path) or package.fs.FileSystem.getDefaultUri(conf).getScheme()
    if scheme != "file" or conf.get("textinputformat.record.delimiter"):
        return hadoop
    block = conf.getLongBytes("fs.local.block.size", BLOCK_SIZE)
    largest = int(conf.get(f"{INPUT}.split.maxsize") or block)
    smallest = int(conf.get(f"{INPUT}.split.minsize") or 1)
    codecs = package.io.compress.CompressionCodecFactory.getCodecClasses(conf)
    return LocalFileSystem(
        hadoop.split,
        split_size=max(1, smallest, min(largest, block)),
        compressed=[
            package.util.ReflectionUtils.newInstance(codec, conf).getDefaultExtension()
            for codec in codecs
        ],
    )


def _escaped(path: str) -> str:
    """``path`` as a list of one path, in which commas and glob characters mean themselves."""
    no_pattern = re.sub(r"([\\*?\[\]{}^])", r"\\\1", path)
    return re.sub(r"([\\,])", r"\\\1", no_pattern)


def _reason(error: Exception) -> str:
    """One line of what went wrong at the bottom of an exception from the JVM."""
    text = str(error)
    java = java_cause(error)
    while java is not None:
        text, java = java.toString(), java.getCause()
    return (text.splitlines() or [type(error).__name__])[0][:300]
