"""The API of ``pyspark.streaming`` on Structured Streaming: change a job's imports and run it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext
    from dstream_compat.dstream import DStream
    from dstream_compat.input.receiver import Receiver
    from dstream_compat.listener import StreamingListener
    from dstream_compat.stages.state_spec import State, StateSpec

__version__ = "0.1.0"
__all__ = ["DStream", "Receiver", "State", "StateSpec", "StreamingContext", "StreamingListener"]

_HOMES = {
    "DStream": "dstream_compat.dstream",
    "Receiver": "dstream_compat.input.receiver",
    "State": "dstream_compat.stages.state_spec",
    "StateSpec": "dstream_compat.stages.state_spec",
    "StreamingContext": "dstream_compat.context",
    "StreamingListener": "dstream_compat.listener",
}


def __getattr__(name: str) -> Any:
    # Resolved on demand: Python workers import this package for its stages alone.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    from dstream_compat.base.requirements import check_pyspark

    check_pyspark()
    return getattr(importlib.import_module(_HOMES[name]), name)
