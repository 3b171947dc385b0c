"""The parts of a running job, each made complete and once."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial

from dstream_compat.base.pyspark_internals import temp_dir
from dstream_compat.base.requirements import check_libraries
from dstream_compat.connectors.hadoop.hadoop_storage import storage_for
from dstream_compat.engine.abort import Abort
from dstream_compat.engine.backpressure import Backpressure
from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.grid import Grid
from dstream_compat.engine.initial_state import InitialStates
from dstream_compat.engine.inputs import make_sources
from dstream_compat.engine.kafka_scans import KafkaScans
from dstream_compat.engine.log_source import LogServer
from dstream_compat.engine.materialise import Materialiser
from dstream_compat.engine.metrics import StateUsage
from dstream_compat.engine.orders import Table
from dstream_compat.engine.outputs import OutputRunner
from dstream_compat.engine.phase_log import PhaseLog
from dstream_compat.engine.planner import TaskPlanner
from dstream_compat.engine.progress import Progress, ReceiverEvents
from dstream_compat.engine.query import Query
from dstream_compat.engine.rebuild import describe_operators
from dstream_compat.engine.reports import SeveralReports
from dstream_compat.engine.request import StartRequest
from dstream_compat.engine.restore import set_aside
from dstream_compat.engine.retention import Retention
from dstream_compat.engine.saving import save_job
from dstream_compat.engine.setup import JobSetup, set_up
from dstream_compat.engine.sink import Sink
from dstream_compat.engine.slicing import Remembered
from dstream_compat.graph.demand import Demand
from dstream_compat.input.clock import Clock, clock_for
from dstream_compat.input.generator import Generator
from dstream_compat.input.log import InputLog
from dstream_compat.input.source import InputSource
from dstream_compat.input.storage import LocalStorage, Storage


@dataclass(frozen=True, eq=False)
class Parts:
    """What the engine starts, asks and stops."""

    setup: JobSetup
    clock: Clock
    grid: Grid
    checkpoint: Checkpoint
    log: InputLog
    phase_log: PhaseLog
    sources: Mapping[int, InputSource]
    generator: Generator
    query: Query
    progress: Progress
    retention: Retention
    remembered: Remembered
    usage: StateUsage
    abort: Abort


def make_parts(request: StartRequest, failed: Callable[[str], None], undo: ExitStack) -> Parts:
    """Make all parts; none runs yet. ``failed`` is called with the text of every error of a batch.

    ``undo`` releases what they hold, in the reverse order.
    """
    # what an earlier run left, and what is fixed from here on
    checkpoint = Checkpoint(_storage(request, undo))
    log = checkpoint.read_log()
    undo.callback(log.close)
    setup = set_up(request, checkpoint.slots(request.sc.defaultParallelism))
    check_libraries(state=setup.stateful)
    durable = request.checkpoint_dir is not None
    if durable:
        save_job(request, setup, checkpoint, log)
    clock = clock_for(setup.sc)
    grid = Grid(setup.interval_ms)
    abort = Abort()
    # the input
    history = [entry for _, entry in log.items()]
    kept = checkpoint.fact("initial_states", None)
    initial_states = InitialStates(kept, setup.plan.sources)
    blocks = checkpoint.storage.within("blocks") if durable else None
    events = ReceiverEvents(request.bus)
    sources = make_sources(request, setup, blocks, events, initial_states, history, undo)
    # progress and errors
    operators = setup.plan.operators
    usage = StateUsage(operators, [o["name"] for o in describe_operators(operators)])
    backpressure = Backpressure(sources, setup.conf, setup.interval_ms)
    progress = Progress(request.bus, setup.outputs, grid, usage, backpressure, failed)
    reports = SeveralReports(*request.reports, progress)
    # from the log to the executors
    phase_log = PhaseLog(log, setup.phases.last, checkpoint.first, progress.submitted)
    asks = partial(_asks, setup.demand, grid)
    generator = Generator(clock, setup.interval_ms, sources, phase_log.submit, asks, failed)
    planner = TaskPlanner(setup, grid, checkpoint.storage, initial_states.amended)
    server = LogServer(log, planner.tasks)
    undo.callback(server.close)
    kafka = KafkaScans(setup, checkpoint.first, log, server, planner, sources, reports)
    # from the executors to the outputs
    shared = tempfile.mkdtemp(prefix="dstream-", dir=temp_dir(setup.sc))
    table = Table(setup.sc, shared)
    materialiser = Materialiser(setup, table, usage, abort, server.input_size, kafka.reads)
    outputs = OutputRunner(setup, reports, abort)
    remembered = Remembered(setup.plan, setup.remember_ms)
    hand_over, logged = phase_log.hand_over, log.batch_of
    sink = Sink(setup, materialiser, outputs, remembered, reports, abort, hand_over, logged)
    retention = Retention(setup, log, checkpoint, sources)
    query = Query(setup, checkpoint, log, phase_log, server, kafka, sink, retention, abort)
    undo.callback(query.close)
    return Parts(
        setup,
        clock,
        grid,
        checkpoint,
        log,
        phase_log,
        sources,
        generator,
        query,
        progress,
        retention,
        remembered,
        usage,
        abort,
    )


def _storage(request: StartRequest, undo: ExitStack) -> Storage:
    """Where the log lies: in the checkpoint directory, else in one that goes with the context."""
    if request.checkpoint_dir is not None:
        storage = storage_for(request.checkpoint_dir)
        if not request.restored:
            set_aside(storage)
        return storage
    temporary = tempfile.mkdtemp(prefix="dstream-")
    undo.callback(shutil.rmtree, temporary, ignore_errors=True)
    # also if the process ends without stop()
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return LocalStorage(temporary, durable=False)


def _asks(demand: Demand, grid: Grid, source: int, tick: int) -> bool:
    """Whether any output needs the batch of a source at a tick."""
    return demand.asks(source, grid.since_zero(tick))
