"""Checks of arguments: the wrong type is refused in one sentence, before anything is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dstream_compat.base.errors import illegal_argument
from dstream_compat.listener import StreamingListener

if TYPE_CHECKING:
    from pyspark import SparkContext


def spark_context(given: Any) -> SparkContext:
    """legacy: a SparkSession is accepted, and works for a while; here its context is used."""
    context = getattr(given, "sparkContext", given)
    if not hasattr(context, "defaultParallelism"):
        raise wrong("sparkContext", "a SparkContext", given)
    return context  # type: ignore[no-any-return]


def check_stream(given: Any, call: str) -> None:
    """The other stream of a join, a union or a transformWith."""
    from pyspark import RDD

    from dstream_compat.dstream import DStream

    if isinstance(given, RDD):
        raise TypeError(
            f"{call} takes another DStream, got an RDD: use "
            f"transform(lambda rdd: rdd.{call.replace('transformWith', '…')}(…)) for an RDD"
        )
    if not isinstance(given, DStream):
        raise TypeError(f"{call} takes another DStream, got {type(given).__name__}")


def check_storage_level(given: Any) -> None:
    from pyspark import StorageLevel

    if not isinstance(given, StorageLevel):
        raise TypeError("storageLevel must be of type pyspark.StorageLevel")


def check_listener(given: Any) -> None:
    """Any object with at least one of a listener's methods is a listener."""
    names = [name for name in vars(StreamingListener) if name.startswith("on")]
    if not any(callable(getattr(given, name, None)) for name in names):
        raise wrong("streamingListener", "a StreamingListener", given)


def check_port(port: Any) -> None:
    if isinstance(port, bool) or not isinstance(port, int):
        raise wrong("port", "an int", port)
    if not 0 <= port <= 65535:
        raise illegal_argument(f"port out of range:{port}")


def check_partitions(number: Any) -> None:
    """legacy: a non-int fails every batch. Zero or less: no partitions, and no error."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong("numPartitions", "an int", number)


def check_record_length(length: Any) -> None:
    if isinstance(length, bool) or not isinstance(length, int):
        raise wrong("recordLength", "an int", length)
    if length <= 0:
        raise ValueError("recordLength should be at least 1")


def text(given: Any, what: str) -> str:
    if not isinstance(given, str):
        raise wrong(what, "a str", given)
    return given


def wrong(what: str, kind: str, given: Any) -> TypeError:
    return TypeError(f"{what} should be {kind}, got {type(given).__name__}")
