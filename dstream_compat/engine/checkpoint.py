"""The checkpoint directory: what is in it, and a context made from it again.

dstream.json   format, zero time, slots, generation
graph          the pickled graph
input/         the input log
blocks/        received data
query/         the streaming query's own checkpoint

A job that is rebuilt from changed code is the next *generation*: it has a graph and a query of its
own (``graph-1``, ``query-1`` …), which starts with the state of the one before. That one goes when
the job is started again: as long as the new query runs, its plan names the old state.
"""

from __future__ import annotations

import json
import logging
import os
import pickle
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark import SparkConf, SparkContext, cloudpickle

from dstream_compat.base.errors import StreamingError, illegal_argument, spark_error
from dstream_compat.base.pyspark_internals import active_context, all_settings, launch_jvm
from dstream_compat.connectors.hadoop.storage import storage_for
from dstream_compat.graph.nodes import Output, ancestors
from dstream_compat.input.log import DamagedEntry, InputLog
from dstream_compat.input.storage import Storage
from dstream_compat.stages.failures import unpicklable

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

logger = logging.getLogger(__name__)

_FORMAT = 1
_META = "dstream.json"
_GRAPH = "graph"
_OURS = re.compile(r"dstream\.json|(graph|query)(-\d+)?|input|blocks")
_QUERY = re.compile(r"query(-\d+)?")
_PREVIOUS = "previous-"
_LEGACY = re.compile(r"checkpoint-\d+(\.bk)?")
# legacy: a restored job has the settings of its first run, but for those that say where it runs
_NOT_CARRIED_OVER = {
    "spark.app.id",
    "spark.app.startTime",
    "spark.blockManager.port",
    "spark.driver.bindAddress",
    "spark.driver.host",
    "spark.driver.port",
    "spark.kubernetes.driver.pod.name",
    "spark.kubernetes.executor.podNamePrefix",
    "spark.ui.port",
}
_RENEWED = {
    "spark.kerberos.keytab",
    "spark.kerberos.principal",
    "spark.master",
    "spark.ui.filters",
    "spark.yarn.app.attemptId",
    "spark.yarn.app.id",
    "spark.yarn.jars",
    "spark.yarn.keytab",
    "spark.yarn.principal",
}
_RENEWED_PREFIX = "spark.org.apache.spark.deploy.yarn.AmIpFilter.param."


def set_aside(storage: Storage) -> None:
    """Make room for a context that was not restored from this directory.

    legacy: only getOrCreate continues an earlier run; a new context starts from nothing. What the
    earlier run left is kept under ``previous-…`` until the next time.
    """
    check_foreign(storage)
    names = storage.sizes()
    if _META not in names:
        _check_complete(storage, _META)
        return
    target = f"{_PREVIOUS}{time.time_ns()}"
    ours = [name for name in names if _OURS.fullmatch(name)]
    # one that is interrupted goes on the next time: last what makes it a checkpoint
    for name in sorted(ours, key=lambda name: (name == _META, not name.startswith(_GRAPH))):
        storage.rename(name, f"{target}/{name}")
    for name in names:
        if name.startswith(_PREVIOUS):
            storage.delete(name)
    logger.warning("An earlier run's checkpoint was set aside in %s", storage.path(target))


class Checkpoint:
    """The files of a checkpoint directory that are ours."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._directory = storage.path()
        self._meta: dict[str, Any] = {"format": _FORMAT}
        if _META in storage.sizes():
            try:
                self._meta = json.loads(storage.read(_META))
            except ValueError as error:
                raise _unreadable(self._directory, f"{_META}: {error}") from None
        self._seeds_a_query = self.seeding is not None

    @property
    def query(self) -> str:
        return self._located(self._query)

    @property
    def generation(self) -> int:
        return int(self._meta.get("generation", 0))

    @property
    def first(self) -> int:
        """The log entry behind which the query of this generation begins."""
        return int(self._meta.get("first", 0))

    @property
    def operators(self) -> list[dict[str, Any]]:
        """The stateful operators of this generation; see ``rebuild``."""
        return list(self._meta.get("operators", []))

    @property
    def seeding(self) -> dict[str, Any] | None:
        """What this generation starts from, until it has committed a batch."""
        if self._meta.get("seeding") and not self._commits():
            return dict(self._meta["seeding"])
        return None

    @property
    def origin(self) -> dict[str, Any] | None:
        """Whose state a rebuild goes on with; None if no batch was ever committed.

        Not always this generation: one that waits for its seeds has no state of its own yet.
        """
        seeding = self.seeding
        if seeding is not None:
            return seeding if seeding["generation"] is not None else None
        if not self._commits():
            return None
        return {
            "generation": self.generation,
            "stores": self.fact("stores", 0),
            "operators": self.operators,
        }

    def fact(self, key: str, default: Any) -> Any:
        return self._meta.get(key, default)

    def check_unchanged(self, facts: Mapping[str, Any]) -> None:
        """Refuse what state cannot outlive: another batch interval, other places of keys."""
        for key, what in (("interval_ms", "batch interval (ms)"), ("hash_seed", "PYTHONHASHSEED")):
            before = self._meta.get(key, facts[key])
            if before != facts[key]:
                raise illegal_argument(
                    f"The checkpoint in {self._directory} was written with {what} {before}, this "
                    f"job has {facts[key]}: start it with {before}, or in a directory of its own"
                )

    def describe(self, **facts: Any) -> None:
        """Note what a later rebuild has to know of this job."""
        if any(self._meta.get(key) != value for key, value in facts.items()):
            self._meta.update(facts)
            self._save()

    def next_generation(self, ssc: StreamingContext, seeding: dict[str, Any], **facts: Any) -> None:
        """Make this the checkpoint of a rebuilt job."""
        first = self.committed()
        generation = self.generation + 1
        # what an attempt that never got as far as a batch left behind
        self.storage.delete(_of_generation("query", generation))
        self._write_graph(ssc, generation)
        self._meta.update(facts, generation=generation, first=first, seeding=seeding)
        self._save()  # from here on it counts
        self._seeds_a_query = True
        self._drop(old for old in range(generation) if old != seeding["generation"])

    def drop_older(self) -> None:
        """Forget the generations before this one, once it stands on its own feet.

        Not in the run that began with their state: Spark plans every batch anew, and looks for the
        files of the seeds each time, though only the first batch reads them.
        """
        if self._seeds_a_query:
            return
        if self.generation and self._meta.get("seeding") and self._commits():
            del self._meta["seeding"]
            self._save()
        if self.generation and not self._meta.get("seeding"):
            self._drop(range(self.generation))

    def _drop(self, generations: Iterable[int]) -> None:
        for generation in generations:
            self.storage.delete(_of_generation("query", generation))
            self.storage.delete(_of_generation(_GRAPH, generation))

    def query_of(self, generation: int) -> str:
        return self._located(_of_generation("query", generation))

    def _located(self, name: str) -> str:
        path = self.storage.path(name)
        # without a scheme Spark would look for it on Hadoop's default file system
        return f"file://{path}" if self.storage.is_local else path

    def zero_time(self, default: int) -> int:
        """The time before the first batch ever; kept over restarts."""
        return self._kept("zero_time", default)

    def slots(self, default: int) -> int:
        """How many slots data is spread over; kept, because state lies in slots."""
        return self._kept("slots", max(1, default))

    def committed(self) -> int:
        """The last log entry of the last committed micro-batch, 0 if there is none."""
        done = self._commits()
        if not done:
            return self.first
        name = f"offsets/{max(done)}"
        try:
            lines = self.storage.read(f"{self._query}/{name}").decode().splitlines()
            return next(int(json.loads(line)["entry"]) for line in lines if '"entry"' in line)
        except (OSError, ValueError, LookupError, StopIteration) as error:
            why = f"{name} of the query: {error or type(error).__name__}"
            raise _unreadable(self._directory, why) from None

    def read_log(self) -> InputLog:
        """The input log in here."""
        last = max((int(n) for n in self.storage.sizes("input") if n.isdigit()), default=0)
        done = self.committed()
        if last < done:
            why = f"input/ ends with entry {last}, and the query has run entry {done}"
            raise _unreadable(self._directory, why)
        try:
            return InputLog(self.storage.within("input"))
        except DamagedEntry as error:
            raise _unreadable(self._directory, str(error)) from None

    def save_graph(self, ssc: StreamingContext) -> None:
        """Pickle the graph. What cannot be pickled fails the start, as it always did."""
        self._write_graph(ssc, self.generation)

    def _write_graph(self, ssc: StreamingContext, generation: int) -> None:
        graph = {
            "interval_ms": ssc._interval_ms,
            "remember_ms": ssc._remember_ms,
            "inputs": ssc._inputs,
            "outputs": ssc._outputs,
            "conf": list(all_settings(ssc._sc).items()),
        }
        try:
            pickled = cloudpickle.dumps(graph)  # type: ignore[no-untyped-call]
        except Exception as error:
            why = unpicklable(error, _functions(ssc._outputs), cloudpickle.dumps)
            text = f"An exception was raised by Python:\n{why}"
            raise StreamingError("java.io.IOException", text, "start") from None
        self.storage.write(_of_generation(_GRAPH, generation), pickled)

    def _kept(self, key: str, default: int) -> int:
        if key not in self._meta:
            self._meta[key] = default
            self._save()
        return int(self._meta[key])

    def _save(self) -> None:
        self.storage.write(_META, json.dumps(self._meta, indent=2).encode())

    @property
    def _query(self) -> str:
        return _of_generation("query", self.generation)

    def _commits(self) -> list[int]:
        names = self.storage.sizes(f"{self._query}/commits")
        return [int(name) for name in names if name.isdigit()]


def _functions(outputs: Sequence[Output]) -> Iterator[tuple[str, Any]]:
    """Every function of a graph, with the place that made it."""
    for node in ancestors([output.node for output in outputs]):
        function = getattr(node, "function", None)
        for each in (*getattr(node, "functions", ()), *([function] if function else [])):
            yield node.site, each
    for output in outputs:
        yield output.site, output.function


def check_foreign(storage: Storage) -> None:
    """Refuse a directory that is somebody else's checkpoint; nothing in it is touched."""
    names = set(storage.sizes())
    whose = None
    if any(_LEGACY.fullmatch(name) for name in names):
        whose = "a checkpoint of the legacy engine, which only that engine can read"
    elif {"metadata", "offsets"} <= names:
        whose = "the checkpoint of a Structured Streaming query"
    if whose is not None:
        raise _unreadable(storage.path(), f"it holds {whose}; give a directory of its own")


def has_checkpoint(directory: str) -> bool:
    """Whether there is anything to go on with; raises if there is and it cannot be read."""
    return _saved(directory, storage_for(directory)) is not None


def _saved(directory: str, storage: Storage) -> str | None:
    """The name of the graph that counts; None if nothing was saved."""
    check_foreign(storage)
    names = storage.sizes()
    if _META not in names:
        _check_complete(storage, _META)
        return None
    try:
        meta = json.loads(storage.read(_META))
        written = meta["format"]
        graph = _of_generation(_GRAPH, int(meta.get("generation", 0)))
    except Exception as error:
        raise _unreadable(directory, f"{type(error).__name__}: {error}") from None
    if written != _FORMAT:
        raise _unreadable(directory, f"it is of format {written}, this version reads {_FORMAT}")
    if graph not in names:
        _check_complete(storage, graph)
        return None
    return graph


def _check_complete(storage: Storage, missing: str) -> None:
    """Refuse a directory without a file that was there before any batch was run."""
    for name in storage.sizes():
        if _QUERY.fullmatch(name) and any(n.isdigit() for n in storage.sizes(f"{name}/commits")):
            raise _unreadable(storage.path(), f"{missing} is missing")


def recover(cls: type[StreamingContext], directory: str) -> StreamingContext | None:
    """The context saved in ``directory``; None if nothing was."""
    storage = storage_for(directory)
    saved = _saved(directory, storage)
    if saved is None:
        return None
    try:
        graph = pickle.loads(storage.read(saved))
    except Exception as error:
        raise _unreadable(directory, f"{type(error).__name__}: {error}") from None
    sc = active_context()
    if sc is None:
        sc = SparkContext(conf=_conf(dict(graph["conf"])))
    ssc = cls(sc, graph["interval_ms"] / 1000.0)
    ssc._interval_ms = graph["interval_ms"]
    ssc._inputs = graph["inputs"]
    ssc._outputs = graph["outputs"]
    ssc._remember_ms = graph["remember_ms"]
    ssc.checkpoint(directory)
    ssc._restored = True
    return ssc


def _conf(saved: Mapping[str, str]) -> SparkConf:
    """The settings of a restored job."""
    before = SparkConf(loadDefaults=False)
    before.setAll([(key, value) for key, value in saved.items() if key not in _RENEWED])
    launch_jvm(conf=before)  # the JVM knows what this run was given
    conf = SparkConf()
    return conf.setAll(list(carried_over(saved, dict(conf.getAll()), _master_is_named()).items()))


def carried_over(
    saved: Mapping[str, str], given: Mapping[str, str], master_is_named: bool
) -> dict[str, str]:
    """The settings of an earlier run that this one, ``given`` others, keeps."""
    return {
        key: value
        for key, value in saved.items()
        if key not in _NOT_CARRIED_OVER
        and (
            key not in given
            or not (key in _RENEWED or key.startswith(_RENEWED_PREFIX))
            or (key == "spark.master" and given[key] == "local[*]" and not master_is_named)
        )
    }


def _master_is_named() -> bool:
    """Whether ``local[*]`` was asked for; Spark fills it in where nobody names a master."""
    under_spark_submit = "PYSPARK_GATEWAY_PORT" in os.environ
    return under_spark_submit or "--master" in os.environ.get("PYSPARK_SUBMIT_ARGS", "")


def _unreadable(directory: str, why: str) -> StreamingError:
    return spark_error(
        f"Failed to read checkpoint from directory {directory}: {why}", "getOrCreate"
    )


def _of_generation(name: str, generation: int) -> str:
    return f"{name}-{generation}" if generation else name
