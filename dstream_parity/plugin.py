"""A pytest plugin: the fixture ``parity`` and the option ``--parity-examples``.

pytest loads this module wherever the package is installed, so nothing here imports pyspark or
Hypothesis before a test asks for the fixture.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dstream_parity.base.outcomes import Batches, Build

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy
    from pyspark import SparkContext


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup(
        "parity", "DStream pipelines on the legacy engine and on dstream_compat"
    )
    group.addoption(
        "--parity-examples",
        type=_positive,
        default=5,
        metavar="N",
        help="number of random batch sequences per call of parity.random() (default: 5)",
    )
    group.addoption(
        "--parity-hide-values",
        action="store_true",
        help="when engines differ, show only the types of elements",
    )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a number, at least 1, not {text!r}")
    return int(text)


@dataclass(frozen=True)
class Parity:
    """The fixture ``parity``: call it with a pipeline and batches, or let it draw batches."""

    sc: SparkContext
    examples: int
    hide_values: bool

    def __call__(self, pipeline: Build, batches: Batches, **options: Any) -> None:
        """:func:`dstream_parity.assert_parity` on the session's SparkContext."""
        __tracebackhide__ = True
        from dstream_parity.parity import assert_parity

        options = {"sc": self.sc, "hide_values": self.hide_values, **options}
        assert_parity(pipeline, batches, **options)

    def random(
        self,
        pipeline: Build,
        elements: SearchStrategy[Any] | None = None,
        *,
        batches: SearchStrategy[Batches] | None = None,
        inputs: int = 1,
        ticks: int = 6,
        seed: int = 0,
        **options: Any,
    ) -> None:
        """Compare on random sequences of batches of these ``elements``.

        ``--parity-examples`` says how many; each has ``ticks`` batches, and all share one replay.
        The same ``seed`` gives the same batches. ``batches`` replaces the strategy for them.
        """
        __tracebackhide__ = True
        if importlib.util.find_spec("hypothesis") is None:
            pytest.fail("parity.random() needs Hypothesis: pip install hypothesis", pytrace=False)
        from dstream_parity import strategies
        from dstream_parity.parity import assert_parity_on

        if batches is None:
            batches = strategies.batches(elements=elements, inputs=inputs, ticks=ticks, least=ticks)
        # the first example of Hypothesis is the smallest there is: empty
        drawn = strategies.examples(batches, self.examples + 1, seed=seed)[-self.examples :]
        options = {"sc": self.sc, "hide_values": self.hide_values, **options}
        assert_parity_on(pipeline, drawn, **options)


@pytest.fixture(scope="session")
def parity_sc() -> Iterator[SparkContext]:
    """The SparkContext of the fixture ``parity``; override this fixture to use your own."""
    if importlib.util.find_spec("pyspark") is None:
        pytest.fail(
            "the parity fixture needs pyspark and Java 17: pip install 'dstream-migrate[spark]'",
            pytrace=False,
        )
    from pyspark import SparkContext

    from dstream_parity.replaying import spark_context

    running = SparkContext._active_spark_context
    sc = spark_context()
    yield sc
    if running is None:
        sc.stop()


@pytest.fixture
def parity(request: pytest.FixtureRequest, parity_sc: SparkContext) -> Parity:
    """Asserts that a pipeline gives the same results on the legacy engine and on dstream_compat.

    Call ``parity(pipeline, batches)`` or ``parity.random(pipeline, elements)``; both also take the
    arguments of :func:`dstream_parity.assert_parity`.
    """
    config = request.config
    examples, hide = config.getoption("parity_examples"), config.getoption("parity_hide_values")
    return Parity(parity_sc, examples, hide)
