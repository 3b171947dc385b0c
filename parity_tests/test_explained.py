"""A difference on Spark is run again as it was found."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest

from dstream_parity.base import functions as f
from dstream_parity.base.pipelines import Input, MethodCall, Pipeline
from parity_tests import on_spark

LIVE = Pipeline((MethodCall(Input(0), "map", (f.levelled,)),), (True,))


@pytest.mark.parametrize(
    ("together", "restarts", "before"), [(1, (), f.set_level), (3, (), None), (2, (2, 4), None)]
)
def test_with_as_many_ticks_together_the_same_restarts_and_the_same_levels(
    together: int, restarts: tuple[int, ...], before: Any
) -> None:
    sc: Any = None
    with patch.object(on_spark, "assert_parity") as asked:
        on_spark.explained(sc, LIVE, [[[[1]]]], together=together, restarts=restarts)
    options = asked.call_args.kwargs
    assert (options["together"], options["restarts"]) == (together, restarts)
    assert options["before"] is before
