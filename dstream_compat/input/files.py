"""Directories as input: which of their files belong to which tick."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterable

from dstream_compat.input.filesystem import FileSystem, ListedFile
from dstream_compat.input.source import InputSource
from dstream_compat.stages.partitions import Batch, InputInfo, Partition

logger = logging.getLogger(__name__)


class FileSource(InputSource):
    """The new files of a directory (or of all that match a glob pattern), tick by tick.

    A file is taken at the first tick that is not before its modification time, if that time is
    after the stream was created (``created_ms``) and within the remembered span, and if the same
    path was not taken within that span. ``min_remember_ms`` is that span, rounded up to whole
    intervals; ``remember_ms`` only extends how long taken paths are remembered.
    """

    on_demand = True

    def __init__(
        self,
        directory: str,
        *,
        interval_ms: int,
        created_ms: int,
        min_remember_ms: int = 60_000,
        remember_ms: int = 0,
        filesystem: FileSystem,
        record_length: int | None = None,
    ) -> None:
        self._directory = directory
        self._interval = interval_ms
        self._created = created_ms
        self._span = -(-min_remember_ms // interval_ms) * interval_ms
        self._remember = max(self._span, remember_ms)
        self._filesystem = filesystem
        self._record_length = record_length
        self._taken: dict[int, list[str]] = {}
        self._complaint = ""

    @property
    def remember_ms(self) -> int:
        """How long a logged batch matters to :meth:`recover`."""
        return self._remember + 2 * self._interval

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        """Know again which files were taken."""
        for tick, batch in history:
            if batch.info is not None:
                self._taken[tick] = list(batch.info.metadata.get("files", ()))

    def take(self, tick: int) -> Batch:
        """The lines or records of the files that are new at ``tick``."""
        # legacy: taken files are forgotten when a batch completes, so the previous tick counts
        forgotten = tick - self._interval - self._remember
        self._taken = {at: files for at, files in self._taken.items() if at >= forgotten}
        new = self._new_entries(tick)
        self._taken[tick] = [entry.path for entry in new]
        files = [entry.path for entry in new if not self._refused(entry)]
        partitions: list[Partition] = []
        for path in files:
            found = self._filesystem.split(path, self._record_length)
            if not found:
                logger.warning("%s is empty; data added to it later is not read.", path)
            partitions += found
        metadata = {"files": files, "Description": "\n".join(files)}
        return Batch(tuple(partitions), InputInfo(0, metadata))

    def _new_entries(self, tick: int) -> list[ListedFile]:
        known = set(itertools.chain.from_iterable(self._taken.values()))
        oldest = max(self._created, tick - self._span)
        try:
            directories = self._filesystem.directories(self._directory)
            new = [
                entry
                for directory in directories
                for entry in self._filesystem.entries(directory, after=oldest)
                if not entry.name.startswith(".")
                and entry.modified <= tick
                and entry.path not in known
            ]
        except Exception as error:  # legacy: on any error here this batch has no files
            self._complain(f"Error finding new files under {self._directory}: {error}")
            return []
        self._complain("" if directories else f"No directory to scan: {self._directory}")
        return new

    def _complain(self, complaint: str) -> None:
        """Warn once, not at every tick, while nothing changes."""
        if complaint and complaint != self._complaint:
            logger.warning("%s", complaint)
        self._complaint = complaint

    @staticmethod
    def _refused(entry: ListedFile) -> bool:
        if not entry.name.startswith("_"):
            return False
        logger.warning("%s is ignored: Hadoop hides names that start with '_'.", entry.path)
        return True
