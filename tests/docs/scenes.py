"""Runs snippets: what they are given, and what they print."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat import StreamingContext
from tests.docs.blocks import Block
from tests.dstream_compat.engine.hand_driven import LIMIT


@dataclass
class Scene:
    """Some snippets and what they are given."""

    blocks: list[Block]
    sc: SparkContext
    folder: Path
    patch: pytest.MonkeyPatch
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    instead: dict[str, str] = field(default_factory=dict)
    """Replacements for text in the snippets: addresses, directories, numbers."""
    _told: io.StringIO = field(default_factory=io.StringIO)

    def run(self, block: Block) -> dict[str, Any]:
        """Run a snippet and return the names that exist afterwards."""
        with redirect_stdout(io.StringIO()) as self._told:
            exec(compile(self.text(block), str(block), "exec"), self.names)
        if block.shown is not None:
            printed = self._told.getvalue().splitlines()
            # more batches follow; the page shows the first ones
            assert tuple(printed[: len(block.shown)]) == block.shown, printed
        return dict(self.names)

    def run_all(self) -> list[dict[str, Any]]:
        return [self.run(block) for block in self.blocks]

    def text(self, block: Block) -> str:
        text = block.text
        for old, new in self.instead.items():
            text = text.replace(old, new)
        return text

    def printed(self) -> str:
        """What the snippet that is running has printed so far."""
        return self._told.getvalue()


@contextmanager
def ticking(ssc: StreamingContext) -> Iterator[StreamingContext]:
    """A context that has been started and has run a batch."""
    ssc.start()
    try:
        assert ssc._engine is not None
        ssc._engine.tick_by_hand(1, LIMIT)
        yield ssc
    finally:
        ssc.stop(stopSparkContext=False)


def until(fact: Callable[[], bool], wanted: str) -> None:
    """Poll, for facts that nothing announces."""
    patience = threading.Event()  # never set
    for _ in range(int(LIMIT * 10)):
        if fact():
            return
        patience.wait(0.1)
    pytest.fail(f"it never happened that {wanted}")
