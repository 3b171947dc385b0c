"""Hypothesis strategies: random batches, and random pipelines to run on them.

>>> from hypothesis import strategies as st
>>> words = batches(elements=st.sampled_from(["a", "b", "日本"]), ticks=4)
>>> graphs = pipelines(inputs=2, keyed=True, kinds=STATEFUL)
"""

try:
    import hypothesis as _hypothesis
except ImportError as _error:
    raise ImportError(
        "dstream_parity.strategies needs Hypothesis: pip install hypothesis"
    ) from _error

from dstream_parity.strategies.drawing import examples
from dstream_parity.strategies.elements import batches
from dstream_parity.strategies.graphs import STATEFUL, STATELESS, pipelines

__all__ = ["STATEFUL", "STATELESS", "batches", "examples", "pipelines"]
del _hypothesis
