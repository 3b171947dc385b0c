"""Watches what a ``foreachRDD`` body does: every action and its result, every write, all prints."""

from __future__ import annotations

import functools
import io
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark import RDD
from pyspark.sql.readwriter import DataFrameWriter, DataFrameWriterV2

from dstream_parity import Raised, Seen, raised
from dstream_parity.verify.child.facets import Facet

# Actions that return a list in an order that no engine promises; all others are compared as is.
_UNORDERED = ("collect", "toLocalIterator", "collectAsMap", "toPandas")
_ACTIONS = (
    *_UNORDERED,
    *("aggregate", "count", "countApprox", "countApproxDistinct", "countByKey", "countByValue"),
    *("first", "fold", "foreach", "foreachPartition", "head", "histogram", "isEmpty", "lookup"),
    *("max", "mean", "min", "reduce", "reduceByKeyLocally", "sampleStdev", "sampleVariance"),
    *("stats", "stdev", "sum", "tail", "take", "takeOrdered", "takeSample", "top"),
    *("treeAggregate", "treeReduce", "variance"),
)
_RDD_WRITES = (
    *("saveAsTextFile", "saveAsPickleFile", "saveAsSequenceFile", "saveAsHadoopFile"),
    *("saveAsNewAPIHadoopFile", "saveAsHadoopDataset", "saveAsNewAPIHadoopDataset"),
)
_FRAME_WRITES = (
    *("save", "saveAsTable", "insertInto", "jdbc"),
    *("csv", "json", "orc", "parquet", "text", "xml"),
)
_TABLE_WRITES = (
    *("append", "create", "createOrReplace", "overwrite", "overwritePartitions", "replace"),
)

_ADDRESS = re.compile(r" at 0x[0-9a-f]+|\bo\d+\b")


class _Local(threading.local):
    facets: list[Facet] | None = None
    busy = False


_LOCAL = _Local()


def install() -> None:
    """Patch the classes of RDDs and DataFrames, once per process."""
    from pyspark.core.rdd import PipelinedRDD
    from pyspark.sql.classic.dataframe import DataFrame

    from dstream_compat.engine.rdds import BatchRDD

    for kind in (RDD, PipelinedRDD, BatchRDD, DataFrame):
        for name in vars(kind).keys() & set(_ACTIONS):
            setattr(kind, name, _watched(name, vars(kind)[name]))
    for kind in (RDD, BatchRDD):
        for name in vars(kind).keys() & set(_RDD_WRITES):
            setattr(kind, name, _instead(name, lambda self: self.map(str).collect()))
    _install_writers()


def _install_writers() -> None:
    made = DataFrameWriterV2.__init__

    def init(self: Any, df: Any, table: str) -> None:
        made(self, df, table)
        self._table = table  # otherwise only Java knows it

    DataFrameWriterV2.__init__ = init  # type: ignore[method-assign]
    for name in _TABLE_WRITES:
        setattr(DataFrameWriterV2, name, _instead(f"writeTo.{name}", _rows_of))
    for name in vars(DataFrameWriter).keys() & set(_FRAME_WRITES):
        setattr(DataFrameWriter, name, _instead(f"write.{name}", _rows_of))


def _rows_of(writer: Any) -> list[Any]:
    rows: list[Any] = writer._df.collect()
    return rows


@contextmanager
def watching() -> Iterator[list[Facet]]:
    """The actions of this thread until the end of the block, in order."""
    found: list[Facet] = []
    _LOCAL.facets = found
    try:
        yield found
    finally:
        _LOCAL.facets = None


@contextmanager
def printed() -> Iterator[io.StringIO]:
    """What this process prints until the end of the block. Outputs run one at a time."""
    text = io.StringIO()
    before, sys.stdout = sys.stdout, text
    try:
        yield text
    finally:
        sys.stdout = before


def _watched(name: str, action: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(action)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        if _LOCAL.facets is None or _LOCAL.busy:  # actions are made of actions
            return action(self, *args, **named)
        _LOCAL.busy = True
        try:
            result = action(self, *args, **named)
        except BaseException as error:
            _note(name, raised(error))
            raise
        finally:
            _LOCAL.busy = False
        if name == "toLocalIterator":
            rows = list(result)
            result = iter(rows)
            _note(name, Seen((tuple(rows),)))
        else:
            _note(name, _seen(name, result))
        return result

    return call


def _instead(name: str, rows: Callable[[Any], list[Any]]) -> Callable[..., None]:
    """Replaces a method that writes: what it would have written is observed."""

    def write(self: Any, *args: Any, **named: Any) -> None:
        if _LOCAL.facets is None or _LOCAL.busy:
            return
        _LOCAL.busy = True
        try:
            written = tuple(rows(self))
        except BaseException as error:
            _note(name, raised(error))
            raise
        finally:
            _LOCAL.busy = False
        _note(name, Seen((written,)))
        given = (getattr(self, "_table", None), *args)
        _note(f"{name}, its arguments", Seen((_plain(given), _plain(sorted(named.items())))))

    return write


def _plain(values: Iterable[Any]) -> tuple[str, ...]:
    """Arguments as text, the only comparable form of Java objects among them."""
    return tuple(_ADDRESS.sub("", repr(value)) for value in values)


def _seen(name: str, result: Any) -> Seen:
    if name == "collectAsMap":
        return Seen((tuple(result.items()),))
    if isinstance(result, list):
        return Seen((tuple(result),))
    if name == "toPandas":
        return Seen((tuple(result.itertuples(index=False, name=None)), tuple(result.columns)))
    return Seen(((result,),))


def _note(name: str, outcome: Seen | Raised) -> None:
    assert _LOCAL.facets is not None
    number = len(_LOCAL.facets) + 1
    ordered = name not in _UNORDERED and not name.startswith(("write", "save"))
    _LOCAL.facets.append(Facet(f"action {number}, {name}", outcome, ordered))
