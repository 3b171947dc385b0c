"""Where the legacy engine guarantees order: as long as no element changes its partition."""

from __future__ import annotations

from dstream_compat.context import StreamingContext
from dstream_compat.graph.nodes import Narrow, Node, Source, Stateful, Union, Wide, ancestors
from dstream_compat.graph.specs import PartitionedSpec
from dstream_parity.base.outcomes import Build
from dstream_parity.base.pipelines import Pipeline
from dstream_parity.engines.in_process import LocalContext


def keeps_order(pipeline: Build, inputs: int, interval: float = 1.0) -> list[bool]:
    """For each output, whether its order is defined.

    >>> keeps_order(lambda ssc, i: [i[0].map(len), i[0].countByValue()], 1)
    [True, False]
    """
    if isinstance(pipeline, Pipeline):
        return list(pipeline.exact)
    return [_in_order(node) for node in nodes_of(pipeline, inputs, interval)]


def nodes_of(pipeline: Build, inputs: int, interval: float = 1.0) -> list[Node]:
    """The output nodes of a pipeline, built without Spark; raises what the pipeline raises."""
    ssc = StreamingContext(LocalContext(), interval)  # type: ignore[arg-type]
    streams = [ssc._input("input", PartitionedSpec(())) for _ in range(inputs)]
    return [stream._node for stream in pipeline(ssc, streams)]


def _in_order(output: Node) -> bool:
    """Whether no shuffle is on the way, except into one element; a transform may do anything."""
    for node in ancestors([output]):
        if isinstance(node, Stateful):
            if node.kind != "window":
                return False
        elif isinstance(node, Wide):
            if node.kind not in ("align", "arrive"):
                return False
        elif not isinstance(node, (Source, Narrow, Union)):
            return False
    return True
