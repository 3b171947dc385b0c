"""What an earlier run left in a checkpoint directory: set aside, or continued."""

from __future__ import annotations

import json
import logging
import pickle
import re
import time
from collections.abc import Mapping
from typing import Any

from pyspark import SparkContext

from dstream_compat.base.pyspark_internals import active_context
from dstream_compat.connectors.hadoop.hadoop_storage import storage_for
from dstream_compat.engine.carried_conf import carried_conf
from dstream_compat.engine.checkpoint import FORMAT, GRAPH, META, of_generation, unreadable
from dstream_compat.input.storage import Storage

logger = logging.getLogger(__name__)

_OURS = re.compile(r"dstream\.json|(graph|query)(-\d+)?|input|blocks")
_QUERY = re.compile(r"query(-\d+)?")
_PREVIOUS = "previous-"
_LEGACY = re.compile(r"checkpoint-\d+(\.bk)?")


def set_aside(storage: Storage) -> None:
    """Make room for a context that was not restored from this directory.

    legacy: only getOrCreate continues an earlier run; a new context starts from nothing. What the
    earlier run left is kept under ``previous-…`` until the next time.
    """
    check_foreign(storage)
    names = storage.sizes()
    if META not in names:
        _check_complete(storage, META)
        return
    target = f"{_PREVIOUS}{time.time_ns()}"
    ours = [name for name in names if _OURS.fullmatch(name)]
    # if this is interrupted, the next start continues: what makes it a checkpoint goes last
    for name in sorted(ours, key=lambda name: (name == META, not name.startswith(GRAPH))):
        storage.rename(name, f"{target}/{name}")
    for name in names:
        if name.startswith(_PREVIOUS):
            storage.delete(name)
    logger.warning("An earlier run's checkpoint was set aside in %s", storage.path(target))


def check_foreign(storage: Storage) -> None:
    """Refuse a directory that holds another program's checkpoint; nothing in it is touched."""
    names = set(storage.sizes())
    whose = None
    if any(_LEGACY.fullmatch(name) for name in names):
        whose = "a checkpoint of the legacy engine, which only that engine can read"
    elif {"metadata", "offsets"} <= names:
        whose = "the checkpoint of a Structured Streaming query"
    if whose is not None:
        raise unreadable(storage.path(), f"it holds {whose}; use another directory for this job")


def has_checkpoint(directory: str) -> bool:
    """Whether there is a checkpoint; raises if there is one that cannot be read."""
    return _saved(directory, storage_for(directory)) is not None


def _saved(directory: str, storage: Storage) -> str | None:
    """The name of the graph that counts; None if nothing was saved."""
    check_foreign(storage)
    names = storage.sizes()
    if META not in names:
        _check_complete(storage, META)
        return None
    try:
        meta = json.loads(storage.read(META))
        written = meta["format"]
        graph = of_generation(GRAPH, int(meta.get("generation", 0)))
    except Exception as error:
        raise unreadable(directory, f"{type(error).__name__}: {error}") from None
    if written != FORMAT:
        raise unreadable(directory, f"its format is {written}, and this version reads {FORMAT}")
    if graph not in names:
        _check_complete(storage, graph)
        return None
    return graph


def _check_complete(storage: Storage, missing: str) -> None:
    """Refuse a directory without a file that was there before any batch was run."""
    for name in storage.sizes():
        if _QUERY.fullmatch(name) and any(n.isdigit() for n in storage.sizes(f"{name}/commits")):
            raise unreadable(storage.path(), f"{missing} is missing")


def saved_job(directory: str) -> tuple[SparkContext, Mapping[str, Any]] | None:
    """The job saved in ``directory`` and a SparkContext to run it; None if nothing was saved."""
    storage = storage_for(directory)
    saved = _saved(directory, storage)
    if saved is None:
        return None
    try:
        graph = pickle.loads(storage.read(saved))
    except Exception as error:
        raise unreadable(directory, f"{type(error).__name__}: {error}") from None
    sc = active_context()
    if sc is None:
        sc = SparkContext(conf=carried_conf(dict(graph["conf"])))
    return sc, graph
