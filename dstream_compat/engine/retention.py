"""What follows a committed batch: its input may be forgotten, and its sources are told."""

from __future__ import annotations

from collections.abc import Mapping

from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.setup import JobSetup
from dstream_compat.input.log import InputLog
from dstream_compat.input.source import InputSource
from dstream_compat.stages.partitions import Stored


class Retention:
    """Keeps the input log as long as a restart, ``remember`` or a source needs it, no longer."""

    def __init__(
        self,
        setup: JobSetup,
        log: InputLog,
        checkpoint: Checkpoint,
        sources: Mapping[int, InputSource],
    ) -> None:
        self._setup = setup
        self._log = log
        self._checkpoint = checkpoint
        self._sources = sources
        self._keep_newest_of = {n for n, source in sources.items() if source.resumes_from_newest}

    def committed(self, number: int) -> None:
        """The entries up to ``number`` are processed, and Spark has written that down."""
        self._checkpoint.drop_older()
        self._forget(number)
        self.tell_sources(number)

    def tell_sources(self, number: int) -> None:
        """Tell each source about its newest batch whose tick is over, including all phases."""
        entry = self._log.get(number)
        over = entry.tick if entry.phase == self._setup.phases.last else entry.tick - 1
        for source, made in self._sources.items():
            batch = self._log.newest_batch(source, over)
            if batch is not None:
                made.processed(batch)

    def _forget(self, number: int) -> None:
        memory = [source.remember_ms for source in self._sources.values()]
        keep = max(self._setup.remember_ms, self._setup.interval_ms, *memory, 0)
        oldest = self._log.get(number).tick - keep
        storage = self._checkpoint.storage
        for entry in self._log.older(number, oldest, self._keep_newest_of):
            # blocks before entries: a block that no entry names would be taken for a new one
            for batch in entry.batches.values():
                for partition in batch.partitions:
                    if isinstance(partition, Stored):
                        storage.delete(storage.name_of(partition.path))
        self._log.forget(number, oldest, self._keep_newest_of)
