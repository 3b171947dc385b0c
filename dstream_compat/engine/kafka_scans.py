"""The Kafka streams of a query: Spark's connector reads them, stage 0 takes them over."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import DataFrame, SparkSession

from dstream_compat.connectors.kafka.kafka_source import KafkaSource
from dstream_compat.connectors.kafka.scan import KafkaScan
from dstream_compat.engine.log_source import LogServer
from dstream_compat.engine.planner import TaskPlanner
from dstream_compat.engine.reports import Reports
from dstream_compat.engine.setup import JobSetup
from dstream_compat.engine.shipping import on_workers
from dstream_compat.graph.nodes import Source
from dstream_compat.graph.specs import KafkaSpec
from dstream_compat.input.log import InputLog
from dstream_compat.input.source import InputSource
from dstream_compat.stages.frames import SCHEMA
from dstream_compat.stages.orders import KafkaOrders


class KafkaScans:
    """``first`` is the log entry after which the query begins."""

    def __init__(
        self,
        setup: JobSetup,
        first: int,
        log: InputLog,
        server: LogServer,
        planner: TaskPlanner,
        sources: Mapping[int, InputSource],
        reports: Reports,
    ) -> None:
        self._slots = setup.slots
        self._first = first
        self._log = log
        self._server = server
        self._planner = planner
        self._sources = sources
        self._reports = reports
        self._scans: list[KafkaScan] = []

    def frames(self, session: SparkSession, source: Source, stage: bytes) -> DataFrame:
        """The frames of a Kafka stream: read by Spark's connector, run through stage 0."""
        spec: KafkaSpec = source.spec
        options = {
            **spec.consumer.options,
            "subscribe": ",".join(spec.topics),
            "failOnDataLoss": "false",  # we look for lost records and fail only their batch
        }
        made = self._sources[source.id]
        assert isinstance(made, KafkaSource)
        scan = KafkaScan(
            session,
            source.id,
            options,
            self._first,
            self._server.decide,
            self._log.between,
            made.earliest,
            self._reports.failed,
        )
        self._scans.append(scan)
        run = on_workers("read_kafka", stage, self._slots, source.id, spec.described)
        return scan.df.mapInArrow(run, SCHEMA)

    def reads(self) -> KafkaOrders | None:
        """What the tasks of all scans are to read in the batch that is about to run."""
        if not self._scans:
            return None
        entries = self._scans[0].planned
        task = self._planner.count(entries)
        reads = {}
        for scan in self._scans:
            spans = [(span.topic, span.partition, span.slices) for span in scan.spans]
            reads[scan.source] = (task, spans)
            task += len(spans)
        lost = [each for scan in self._scans for each in scan.lost]
        return KafkaOrders(reads, self._planner.ticks(entries), lost)
