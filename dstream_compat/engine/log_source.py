"""The input log as a streaming data source, and the server that feeds it.

The source's planner is a Python process that Spark runs beside the driver. It asks the driver over
a loopback connection and blocks there until there is a tick: no time is lost to polling, and only
the driver touches the log's files.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, Listener
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from dstream_compat.input.log import InputLog, LogEntry
from dstream_compat.stages.frames import SCHEMA

_MOST_TICKS = 20  # per micro-batch, when catching up
_MOST_BYTES = 256 * 1024 * 1024


class LogServer:
    """Tells the planner how far the log goes, and the tasks for a range of entries."""

    def __init__(
        self,
        log: InputLog,
        tasks: Callable[[Sequence[LogEntry]], list[bytes]],
        waits: bool = True,
    ) -> None:
        self._log = log
        self._tasks = tasks
        self._waits = waits
        self._committed: dict[Connection, int] = {}
        self.planned = (0, 0)
        self._deciding = threading.Lock()
        self.asked = threading.Event()  # the planner is up
        self.secret = os.urandom(32)
        self._listener = Listener(("127.0.0.1", 0), authkey=self.secret)
        threading.Thread(target=self._accept, name="dstream-log-server", daemon=True).start()

    @property
    def address(self) -> Any:
        return self._listener.address

    def close(self) -> None:
        self._listener.close()

    def decide(self, start: int) -> int:
        """Wait for entries after ``start``; the last one of the next micro-batch.

        All sources of a query get the same answer, whichever asks first.
        """
        with self._deciding:
            if not self.planned[0] == start < self.planned[1]:
                latest = self._log.beyond(start, _MOST_TICKS, _MOST_BYTES)
                self.planned = (start, latest or start)
            return self.planned[1]

    def input_size(self) -> int:
        """Bytes of input of the micro-batch that is about to run; 0 if not known."""
        start, end = self.planned
        return sum(self._log.get(number).size for number in range(start + 1, end + 1))

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()
            except OSError:
                return  # closed
            except Exception:  # a stranger without the secret
                continue
            threading.Thread(
                target=self._serve, args=(connection,), name="dstream-log-client", daemon=True
            ).start()

    def _serve(self, connection: Connection) -> None:
        try:
            while True:
                question, start, end = connection.recv()
                self.asked.set()
                if question == "commit":
                    self._committed[connection] = end
                    # drop what every reader has processed
                    self._log.forget(min(self._committed.values()), 2**62)
                    connection.send(None)
                elif question == "latest" and not self._waits:
                    connection.send(max(start, self._log.last))
                elif question == "latest":
                    latest = self.decide(start)
                    connection.send(latest)
                else:
                    connection.send(self._tasks(self._log.between(start, end)))
        except (EOFError, OSError):
            self._committed.pop(connection, None)  # the planner is gone


def input_source(
    name: str,
    address: Any,
    secret: bytes,
    read: Callable[[bytes], Iterator[Any]],
    schema: str = SCHEMA,
    commits: bool = True,
    first: int = 0,
) -> type[DataSource]:
    """A data source class for one log; local classes are pickled by value.

    ``commits``: entries that the query has committed may be dropped from the log. ``first`` is the
    entry after which a new query begins.
    """
    reader = _reader(address, secret, read, commits, first)
    own_schema = schema

    class InputLogSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return name

        def schema(self) -> str:
            return own_schema

        def streamReader(self, schema: Any) -> DataSourceStreamReader:
            return reader()

    return InputLogSource


def _reader(
    address: Any,
    secret: bytes,
    read: Callable[[bytes], Iterator[Any]],
    commits: bool,
    first: int,
) -> Callable[[], DataSourceStreamReader]:
    class InputLogReader(DataSourceStreamReader):
        def __init__(self) -> None:
            self._connection: Any = None

        def initialOffset(self) -> dict[str, int]:
            return {"entry": first}

        def latestOffset(self, start: dict[str, int], limit: Any) -> dict[str, int]:
            try:
                end = self._ask("latest", start["entry"], 0)
            except (EOFError, OSError):
                return start  # the driver is shutting down
            return start if end is None else {"entry": end}

        def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
            if start["entry"] == end["entry"]:
                return []
            tasks = self._ask("tasks", start["entry"], end["entry"])
            return [InputPartition(task) for task in tasks]

        def commit(self, end: dict[str, int]) -> None:
            if commits:
                self._ask("commit", 0, end["entry"])

        def read(self, partition: InputPartition) -> Iterator[Any]:
            return read(partition.value)

        def _ask(self, question: str, start: int, end: int) -> Any:
            from multiprocessing.connection import Client

            if self._connection is None:
                self._connection = Client(address, authkey=secret)
            self._connection.send((question, start, end))
            return self._connection.recv()

    return InputLogReader
