"""From what the user asked for to the driver's side of an input stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dstream_compat.base import settings
from dstream_compat.base.settings import Conf
from dstream_compat.connectors.hadoop.files import filesystem_for
from dstream_compat.connectors.kafka.inputs import kafka_source
from dstream_compat.engine.rdds import partitions_of
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
from dstream_compat.input.positions import PositionedReceiver, PositionedSource
from dstream_compat.input.queues import InitialSource, PartitionedSource, QueueSource
from dstream_compat.input.receiver import Receiver, ReceiverSource
from dstream_compat.input.sockets import SocketReceiver
from dstream_compat.input.storage import Storage
from dstream_compat.stages.partitions import InputSource

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

OnEvent = Callable[[str, dict[str, Any]], None]


def make_source(
    source: Source,
    ssc: StreamingContext,
    blocks: Storage | None,
    conf: Conf,
    on_event: OnEvent,
) -> InputSource:
    """The input source of a graph's source node; received blocks go to ``blocks``, if anywhere."""
    spec = source.spec
    if isinstance(spec, QueueSpec):
        return QueueSource(
            spec.batches, spec.one_at_a_time, spec.default, spec.parallelism, partitions_of
        )
    if isinstance(spec, InitialStateSpec):
        return InitialSource(spec.partitions)
    if isinstance(spec, PartitionedSpec):
        return PartitionedSource(spec.batches, ssc._interval_ms)
    if isinstance(spec, FileSpec):
        key = "spark.streaming.fileStream.minRememberDuration"
        older = "spark.streaming.minRememberDuration"
        return FileSource(
            spec.directory,
            interval_ms=ssc._interval_ms,
            created_ms=spec.created_ms,
            min_remember_ms=settings.time_ms(
                conf, key, settings.time_ms(conf, older, 60_000, "s"), "s"
            ),
            remember_ms=ssc._remember_ms or 0,
            filesystem=filesystem_for(spec.directory, ssc._sc),
            record_length=spec.record_length,
        )
    if isinstance(spec, SocketSpec):
        return _receiving(SocketReceiver(spec.host, spec.port), source.id, blocks, conf, on_event)
    if isinstance(spec, ReceiverSpec):
        return _receiving(spec.receiver, source.id, blocks, conf, on_event)
    if isinstance(spec, KafkaSpec):
        return kafka_source(spec, ssc, conf)
    raise TypeError(f"no input source for {type(spec).__name__}")


def _receiving(
    receiver: Receiver, number: int, blocks: Storage | None, conf: Conf, on_event: OnEvent
) -> ReceiverSource:
    store: BlockStore = MemoryBlockStore()
    if blocks is not None:
        store = DirectoryBlockStore(blocks)
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
        on_event=on_event,
    )
