"""Saves a job in its checkpoint directory; in a rebuild, also where its state comes from."""

from __future__ import annotations

from typing import Any

from dstream_compat.engine import rebuild
from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.initial_state import initial_states_after
from dstream_compat.engine.request import StartRequest
from dstream_compat.engine.setup import JobSetup
from dstream_compat.graph.specs import InitialStateSpec
from dstream_compat.input.log import InputLog


def save_job(request: StartRequest, setup: JobSetup, checkpoint: Checkpoint, log: InputLog) -> None:
    """Save what a restart or a rebuild has to know; refuse a job that cannot continue."""
    facts = _facts(setup)
    if request.rebuild is None:
        checkpoint.check_unchanged(facts)
        checkpoint.save_graph(request)
        checkpoint.describe(**facts)
        return
    checkpoint.check_unchanged({key: facts[key] for key in ("interval_ms", "hash_seed")})
    rebuild.check_external(checkpoint.fact("sources", {}), facts["sources"])
    _check_waiting(facts["sources"], checkpoint, log)
    origin = checkpoint.origin
    found: dict[int, int] = {}
    if origin is not None:
        found = rebuild.match(origin["operators"], facts["operators"], request.rebuild)
    seeding = {**(origin or {"generation": None, "stores": 0, "operators": []}), "found": found}
    facts["initial_states"] = initial_states_after(
        setup.plan.operators,
        setup.phases.imports,
        found,
        list(log.items()),
        checkpoint.committed(),
    )
    checkpoint.next_generation(request, seeding, **facts)


def _facts(setup: JobSetup) -> dict[str, Any]:
    return {
        "interval_ms": setup.interval_ms,
        "operators": rebuild.describe_operators(setup.plan.operators),
        "sources": {
            str(source.id): type(source.spec).__name__
            for source in setup.plan.sources
            if source not in setup.phases.imports
        },
        "stores": sum(stage.stateful for stage in setup.plan.stages),
        "hash_seed": setup.sc.environment.get("PYTHONHASHSEED", "0"),
    }


def _check_waiting(sources: dict[str, str], checkpoint: Checkpoint, log: InputLog) -> None:
    """A rebuilt job must be able to run what its predecessor logged but did not run."""
    known = checkpoint.fact("sources", {})
    done = checkpoint.committed()
    waiting: dict[int, str] = {}
    for number, entry in log.items():
        if number > done:
            for source, batch in entry.batches.items():
                if batch.partitions and known.get(str(source)) != InitialStateSpec.__name__:
                    waiting[source] = known.get(str(source), "stream downstream of a transform")
    rebuild.check_pending(waiting, {int(number): kind for number, kind in sources.items()})
