"""What an engine restores from its checkpoint still reports to the replay."""

from __future__ import annotations

import gc
import pickle
from datetime import datetime
from typing import Any

import pytest
from pyspark import cloudpickle

from dstream_parity.engines.callbacks import calling

NOW = datetime(2024, 1, 1)


def test_a_copy_of_an_output_calls_the_original_function() -> None:
    seen: list[Any] = []
    output = calling(lambda time, rdd: seen.append((time, rdd)))
    copy = pickle.loads(cloudpickle.dumps(output))  # type: ignore[no-untyped-call]
    copy(NOW, "rdd")
    assert copy is not output
    assert seen == [(NOW, "rdd")]


def test_nothing_keeps_the_outputs_of_a_replay_that_is_over() -> None:
    saved = cloudpickle.dumps(calling(lambda time, rdd: None))  # type: ignore[no-untyped-call]
    gc.collect()
    with pytest.raises(KeyError):
        pickle.loads(saved)
