"""The checks of every stream when a context starts, with the texts of the legacy engine."""

from __future__ import annotations

from collections.abc import Sequence

from dstream_compat.base.errors import illegal_argument
from dstream_compat.graph.nodes import Narrow, Node, Output, Stateful, Transform, Wide, ancestors

_CLASSES = {
    "updateState": "PythonStateDStream",
    "reduceWindow": "PythonReducedWindowedDStream",
    "mapWithState": "InternalMapWithStateDStream",
    "window": "WindowedDStream",
}


def check_streams(outputs: Sequence[Output], has_directory: bool) -> None:
    """Raise an error if something is wrong with the streams that ``outputs`` depend on.

    ``has_directory``: a checkpoint directory was set.
    """
    for node in ancestors([output.node for output in outputs]):
        must = isinstance(node, Stateful) and node.must_checkpoint
        interval = node.marks.checkpoint_ms
        if (must or interval is not None) and not has_directory:
            raise illegal_argument(
                "The checkpoint directory has not been set. Please set it by "
                "StreamingContext.checkpoint()."
            )
        if interval is not None:
            _check_interval(_class_name(node), interval, node.slide_ms)
            if isinstance(node, Stateful) and node.kind == "window":
                # legacy: persist() on a window persists its parent, so no window passes this check
                raise illegal_argument(
                    f"{_class_name(node)} has been marked for checkpointing but the storage level "
                    "has not been set to enable persisting. Please use DStream.persist() to set "
                    "the storage level to use memory for better checkpointing performance."
                )


def _check_interval(name: str, interval: int, slide: int) -> None:
    if interval < slide:
        raise illegal_argument(
            f"The checkpoint interval for {name} has been set to {interval} ms which is lower "
            f"than its slide time ({slide} ms). Please set it to at least {slide} ms."
        )
    if interval % slide:
        raise illegal_argument(
            # legacy: two spaces
            f"The checkpoint interval for {name} has been set to  {interval} ms which not a "
            f"multiple of its slide time ({slide} ms). Please set it to a multiple of {slide} ms."
        )


def _class_name(node: Node) -> str:
    if isinstance(node, Stateful):
        return _CLASSES[node.kind]
    if isinstance(node, (Narrow, Wide, Transform)):
        return "PythonTransformedDStream"
    return "DStream"
