"""The checkpoint directory: what is in it.

dstream.json   format, zero time, slots, generation
graph          the pickled graph
input/         the input log
blocks/        received data
query/         the streaming query's own checkpoint

A job that is rebuilt from changed code is the next *generation*: it has a graph and a query of its
own (``graph-1``, ``query-1`` …), which starts with the state of the one before. That one is
deleted when the job is started again: while the new query runs, its plan names the old state.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pyspark import cloudpickle

from dstream_compat.base.errors import StreamingError, illegal_argument, spark_error
from dstream_compat.base.pyspark_internals import all_settings
from dstream_compat.engine.request import StartRequest
from dstream_compat.graph.nodes import Output, ancestors
from dstream_compat.input.log import DamagedEntry, InputLog
from dstream_compat.input.storage import Storage
from dstream_compat.stages.failures import unpicklable

FORMAT = 1
META = "dstream.json"
GRAPH = "graph"


class Checkpoint:
    """The files of a checkpoint directory that are ours."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._directory = storage.path()
        self._meta: dict[str, Any] = {"format": FORMAT}
        if META in storage.sizes():
            try:
                self._meta = json.loads(storage.read(META))
            except ValueError as error:
                raise unreadable(self._directory, f"{META}: {error}") from None
        self._seeds_a_query = self.seeding is not None

    @property
    def query(self) -> str:
        return self._located(self._query)

    @property
    def generation(self) -> int:
        return int(self._meta.get("generation", 0))

    @property
    def first(self) -> int:
        """The log entry after which the query of this generation begins."""
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
        """The generation whose state a rebuild takes over; None if no batch was ever committed.

        Not always this one: a generation that waits for its seeds has no state yet.
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
        """Refuse changes that state does not survive: to the batch interval, to where keys are."""
        for key, what in (("interval_ms", "batch interval (ms)"), ("hash_seed", "PYTHONHASHSEED")):
            before = self._meta.get(key, facts[key])
            if before != facts[key]:
                raise illegal_argument(
                    f"The checkpoint in {self._directory} was written with {what} {before}, this "
                    f"job has {facts[key]}: start it with {before}, or with a new checkpoint "
                    "directory"
                )

    def describe(self, **facts: Any) -> None:
        """Note what a later rebuild has to know about this job."""
        if any(self._meta.get(key) != value for key, value in facts.items()):
            self._meta.update(facts)
            self._save()

    def next_generation(self, request: StartRequest, seeding: dict[str, Any], **facts: Any) -> None:
        """Make this the checkpoint of a rebuilt job."""
        first = self.committed()
        generation = self.generation + 1
        # left by an attempt that never got as far as a batch
        self.storage.delete(of_generation("query", generation))
        self._write_graph(request, generation)
        self._meta.update(facts, generation=generation, first=first, seeding=seeding)
        self._save()  # from here on it counts
        self._seeds_a_query = True
        self._drop(old for old in range(generation) if old != seeding["generation"])

    def drop_older(self) -> None:
        """Delete earlier generations, once this one no longer needs them.

        Not in the run that began with their state: Spark plans every batch again, and looks for
        the files of the seeds each time, though only the first batch reads them.
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
            self.storage.delete(of_generation("query", generation))
            self.storage.delete(of_generation(GRAPH, generation))

    def query_of(self, generation: int) -> str:
        return self._located(of_generation("query", generation))

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
            raise unreadable(self._directory, why) from None

    def read_log(self) -> InputLog:
        """The input log in here."""
        last = max((int(n) for n in self.storage.sizes("input") if n.isdigit()), default=0)
        done = self.committed()
        if last < done:
            why = f"input/ ends with entry {last}, and the query has run entry {done}"
            raise unreadable(self._directory, why)
        try:
            return InputLog(self.storage.within("input"))
        except DamagedEntry as error:
            raise unreadable(self._directory, str(error)) from None

    def save_graph(self, request: StartRequest) -> None:
        """Pickle the graph. What cannot be pickled fails the start, as it always did."""
        self._write_graph(request, self.generation)

    def _write_graph(self, request: StartRequest, generation: int) -> None:
        graph = {
            "interval_ms": request.interval_ms,
            "remember_ms": request.remember_ms,
            "inputs": request.inputs,
            "outputs": request.outputs,
            "conf": list(all_settings(request.sc).items()),
        }
        try:
            pickled = cloudpickle.dumps(graph)  # type: ignore[no-untyped-call]
        except Exception as error:
            why = unpicklable(error, _functions(request.outputs), cloudpickle.dumps)
            text = f"An exception was raised by Python:\n{why}"
            raise StreamingError("java.io.IOException", text, "start") from None
        self.storage.write(of_generation(GRAPH, generation), pickled)

    def _kept(self, key: str, default: int) -> int:
        if key not in self._meta:
            self._meta[key] = default
            self._save()
        return int(self._meta[key])

    def _save(self) -> None:
        self.storage.write(META, json.dumps(self._meta, indent=2).encode())

    @property
    def _query(self) -> str:
        return of_generation("query", self.generation)

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


def unreadable(directory: str, why: str) -> StreamingError:
    return spark_error(
        f"Failed to read checkpoint from directory {directory}: {why}", "getOrCreate"
    )


def of_generation(name: str, generation: int) -> str:
    return f"{name}-{generation}" if generation else name
