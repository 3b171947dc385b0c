"""How many examples test each operator: counted while the rings run.

With PARITY_LEDGER naming a directory, every test process leaves its counts there; the page
docs/parity-coverage.md is made of them (``python -m parity_tests.coverage``).
"""

from __future__ import annotations

import atexit
import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

IN_PROCESS, ON_SPARK, MODEL_ON_SPARK = "in process", "on Spark", "the model, on Spark"
RINGS = (IN_PROCESS, ON_SPARK)


@dataclass
class Ledger:
    """Counts by ring: graphs, batches, and graphs by operator."""

    graphs: Counter[str] = field(default_factory=Counter)
    batches: Counter[str] = field(default_factory=Counter)
    operators: dict[str, Counter[str]] = field(default_factory=dict)

    def note(self, ring: str, operators: Iterable[str], batches: int) -> None:
        """A graph was compared on some batches.

        ``operators``: those that lead to the outputs that were compared; if there are none, nothing
        was.
        """
        if not (operators := set(operators)):
            return
        self.graphs[ring] += 1
        self.batches[ring] += batches
        self.operators.setdefault(ring, Counter()).update(operators)

    def of(self, ring: str, operator: str) -> int:
        return self.operators.get(ring, Counter())[operator]

    def add(self, other: Ledger) -> None:
        self.graphs.update(other.graphs)
        self.batches.update(other.batches)
        for ring, counts in other.operators.items():
            self.operators.setdefault(ring, Counter()).update(counts)

    def save(self, path: Path) -> None:
        content = {"graphs": self.graphs, "batches": self.batches, "operators": self.operators}
        path.write_text(json.dumps(content, indent=1, sort_keys=True), encoding="utf-8")

    @staticmethod
    def load(path: Path) -> Ledger:
        content = json.loads(path.read_text(encoding="utf-8"))
        operators = {ring: Counter(counts) for ring, counts in content["operators"].items()}
        return Ledger(Counter(content["graphs"]), Counter(content["batches"]), operators)


LEDGER = Ledger()


def _leave(directory: Path) -> None:
    if LEDGER.graphs:
        LEDGER.save(directory / f"{os.getpid()}.json")


if "PARITY_LEDGER" in os.environ:
    atexit.register(_leave, Path(os.environ["PARITY_LEDGER"]))
