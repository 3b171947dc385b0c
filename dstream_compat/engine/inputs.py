"""Makes the input sources of a job from what the user specified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from dstream_compat.base import settings
from dstream_compat.connectors.hadoop.hadoop_filesystem import filesystem_for
from dstream_compat.connectors.kafka.from_spec import kafka_source
from dstream_compat.engine.initial_state import InitialStates
from dstream_compat.engine.rdds import partitions_of
from dstream_compat.engine.request import StartRequest
from dstream_compat.engine.setup import JobSetup
from dstream_compat.engine.shipping import on_workers
from dstream_compat.graph.nodes import Source
from dstream_compat.graph.specs import (
    FileSpec,
    InitialStateSpec,
    KafkaSpec,
    PartitionedSpec,
    QueueSpec,
    ReceiverSpec,
    SocketSpec,
)
from dstream_compat.input.blocks import BlockStore, DirectoryBlockStore, MemoryBlockStore
from dstream_compat.input.files import FileSource
from dstream_compat.input.log import LogEntry
from dstream_compat.input.positions import PositionedReceiver, PositionedSource
from dstream_compat.input.queues import InitialStateSource, PartitionedSource, QueueSource
from dstream_compat.input.receiver import Receiver
from dstream_compat.input.receiver_source import ReceiverSource
from dstream_compat.input.sockets import SocketReceiver
from dstream_compat.input.source import InputSource
from dstream_compat.input.storage import Storage

OnEvent = Callable[[str, dict[str, Any]], None]


def make_sources(
    request: StartRequest,
    setup: JobSetup,
    blocks: Storage | None,
    on_event: OnEvent,
    initial_states: InitialStates,
    history: Sequence[LogEntry],
    undo: ExitStack,
) -> dict[int, InputSource]:
    """The input sources of a job, ready to continue after ``history``; ``undo`` closes them."""
    maker = _Maker(request, setup, blocks, on_event, initial_states, history)
    sources = {}
    for source in setup.plan.sources:
        if not source.external and source not in setup.phases.imports:
            made = sources[source.id] = maker.make(source)
            undo.callback(made.close)
    for number, made in sources.items():
        made.recover(
            (entry.tick, entry.batches[number]) for entry in history if number in entry.batches
        )
    return sources


class _Maker:
    """Makes the input source of each source node; received blocks go to ``blocks``, if anywhere."""

    def __init__(
        self,
        request: StartRequest,
        setup: JobSetup,
        blocks: Storage | None,
        on_event: OnEvent,
        initial_states: InitialStates,
        history: Sequence[LogEntry],
    ) -> None:
        self._request = request
        self._setup = setup
        self._blocks = blocks
        self._on_event = on_event
        self._initial_states = initial_states
        self._history = history

    def make(self, source: Source) -> InputSource:
        spec = source.spec
        if isinstance(spec, QueueSpec):
            return QueueSource(
                spec.batches, spec.one_at_a_time, spec.default, spec.parallelism, partitions_of
            )
        if isinstance(spec, InitialStateSpec):
            over = self._initial_states.is_over(source.id, self._history)
            return InitialStateSource(spec.partitions, due=not over)
        if isinstance(spec, PartitionedSpec):
            return PartitionedSource(spec.batches, self._setup.interval_ms)
        if isinstance(spec, FileSpec):
            return self._files(spec)
        if isinstance(spec, SocketSpec):
            return self._receiving(SocketReceiver(spec.host, spec.port), source.id)
        if isinstance(spec, ReceiverSpec):
            return self._receiving(spec.receiver, source.id)
        if isinstance(spec, KafkaSpec):
            specs = [each.spec for each in self._request.inputs]
            setup = self._setup
            return kafka_source(spec, specs, setup.sc, setup.interval_ms, setup.conf)
        raise TypeError(f"no input source for {type(spec).__name__}")

    def _files(self, spec: FileSpec) -> FileSource:
        conf = self._setup.conf
        key = "spark.streaming.fileStream.minRememberDuration"
        older = "spark.streaming.minRememberDuration"
        return FileSource(
            spec.directory,
            interval_ms=self._setup.interval_ms,
            created_ms=spec.created_ms,
            min_remember_ms=settings.time_ms(
                conf, key, settings.time_ms(conf, older, 60_000, "s"), "s"
            ),
            remember_ms=self._setup.remember_ms,
            filesystem=filesystem_for(spec.directory, self._setup.sc, on_workers("pack_values")),
            record_length=spec.record_length,
        )

    def _receiving(self, receiver: Receiver, number: int) -> ReceiverSource:
        conf = self._setup.conf
        store: BlockStore = MemoryBlockStore()
        if self._blocks is not None:
            store = DirectoryBlockStore(self._blocks)
        backpressure = settings.flag(conf, "spark.streaming.backpressure.enabled")
        initial = settings.number(conf, "spark.streaming.backpressure.initialRate", None)
        made = PositionedSource if isinstance(receiver, PositionedReceiver) else ReceiverSource
        return made(
            receiver,  # type: ignore[arg-type]  # each class of source gets its own kind
            number,
            store=store,
            block_interval_ms=settings.time_ms(conf, "spark.streaming.blockInterval", 200),
            restart_delay_ms=settings.time_ms(conf, "spark.streaming.receiverRestartDelay", 2000),
            max_rate=settings.number(conf, "spark.streaming.receiver.maxRate", None),
            initial_rate=initial if backpressure else None,
            on_event=self._on_event,
        )
