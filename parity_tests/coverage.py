"""docs/parity-coverage.md: how many examples test each operator, as counted by a run.

``python -m parity_tests.coverage [pytest options]`` runs the parity tests and writes the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis

from parity_tests.graphs import ALL
from parity_tests.ledger import IN_PROCESS, ON_SPARK, Ledger
from parity_tests.regressions import REGRESSIONS
from parity_tests.stateful_graphs import GRAPHS as STATEFUL_GRAPHS
from parity_tests.test_map_with_state import MAPPINGS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "parity-coverage.md"
TESTS = ["parity_tests/test_in_process.py", "parity_tests/test_random_on_spark.py"]

OPERATORS = {
    "Element by element": ("map", "flatMap", "filter", "mapValues", "flatMapValues"),
    "Partition by partition": ("mapPartitions", "mapPartitionsWithIndex", "glom"),
    "To one element": ("count", "reduce"),
    "By key": ("reduceByKey", "combineByKey", "groupByKey", "countByValue"),
    "Places": ("partitionBy", "repartition"),
    "Two streams": (
        *("union", "join", "leftOuterJoin", "rightOuterJoin", "fullOuterJoin", "cogroup"),
    ),
    "On RDDs": ("transform", "transformWith"),
    "Windows": (
        *("window", "reduceByWindow", "countByWindow", "reduceByKeyAndWindow"),
        *("countByValueAndWindow", "groupByKeyAndWindow"),
    ),
    "State": ("updateStateByKey", "mapWithState", "stateSnapshots"),
}
# In no random graph on Spark, as the legacy engine's Python has none: compared with the JVM's own.
ELSEWHERE_ON_SPARK = {"mapWithState", "stateSnapshots"}
COMPARED = {name for names in OPERATORS.values() for name in names} - ELSEWHERE_ON_SPARK
# The other methods of a DStream, which have no results to compare, and where they are tested.
_ENGINE, _API = "tests/dstream_compat/engine", "tests/dstream_compat/test_dstream_api.py"
ELSEWHERE = {
    "foreachRDD, pprint, saveAsTextFiles, saveAsPickleFiles": f"`{_ENGINE}/test_outputs.py`",
    "slice, remember": f"`{_ENGINE}/test_slice_remember.py`",
    "cache, persist, checkpoint": f"`{_API}`: they change no results",
    "toDF, dataFrameStream": f"`{_ENGINE}/test_dataframes.py`: the legacy engine has none",
    "named, context": f"`{_ENGINE}/test_rebuild.py`, `{_API}`",
}


class Spy:
    """Stands for a stream and for a context, and notes what is called on it."""

    def __init__(self, called: set[str]) -> None:
        self._called = called

    def __getattr__(self, name: str) -> Callable[..., Spy]:
        if name != "context":
            self._called.add(name)
        return lambda *arguments, **keywords: self


def called_by(build: Callable[[Any, list[Any]], Any]) -> set[str]:
    """The operators a pipeline is made of."""
    called: set[str] = set()
    spy: Any = Spy(called)
    build(spy, [spy, spy])
    return called


def _ignoring_context(graph: Callable[[list[Any]], Any]) -> Callable[[Any, list[Any]], Any]:
    return lambda ssc, inputs: graph(inputs)


def by_hand() -> list[set[str]]:
    """Of every example written by hand that is compared on Spark: its operators."""
    graphs = [*ALL.values(), *STATEFUL_GRAPHS.values()]
    found = [called_by(_ignoring_context(graph)) for graph in graphs]
    found += [called_by(case.build) for case in REGRESSIONS.values() if case.legacy]
    return found + [{"mapWithState", "stateSnapshots"} for _ in MAPPINGS]


def page(ledger: Ledger) -> str:
    """The page, with the numbers of a run."""
    hands = by_hand()
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition("<!-- numbers -->\n")
    _, _, tail = rest.partition("<!-- /numbers -->\n")
    lines = [
        f"Counted with Hypothesis {hypothesis.__version__}: about {ledger.graphs[IN_PROCESS]:,} "
        f"random graphs on {ledger.batches[IN_PROCESS]:,} batches in process, "
        f"{ledger.graphs[ON_SPARK]} random graphs on {ledger.batches[ON_SPARK]} batches on Spark, "
        f"{len(hands)} written by hand. Only outputs that were compared count. What is drawn "
        "depends on the version of Hypothesis and a little on what else is loaded. So the table "
        "claims only part of the random examples that were counted: two thirds in process, and a "
        "third, rounded up, on Spark.",
        "",
        "| operator | random, in process | random, on Spark | by hand, on Spark |",
        "|---|---:|---:|---:|",
    ]
    for family, names in OPERATORS.items():
        lines.append(f"| **{family}** | | | |")
        for name in names:
            random = ledger.of(IN_PROCESS, name) * 2 // 3, -(-ledger.of(ON_SPARK, name) // 3)
            hand = sum(name in called for called in hands)
            lines.append(f"| {name} | {random[0]} | {random[1]} | {hand} |")
    lines += ["", "| not in the table | where it is tested |", "|---|---|"]
    lines += [f"| {names} | {where} |" for names, where in ELSEWHERE.items()]
    numbers = "\n".join(lines)
    return f"{head}<!-- numbers -->\n{numbers}\n<!-- /numbers -->\n{tail}"


def claims() -> tuple[str, dict[str, tuple[int, int, int]]]:
    """What the page says: the version of Hypothesis, and by operator the three numbers."""
    text = PAGE.read_text(encoding="utf-8")
    version = re.search(r"Counted with Hypothesis ([\w.]+):", text)
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (\d+) \| (\d+) \|$", text, re.M)
    assert version is not None, f"{PAGE.name} names no version of Hypothesis"
    return version[1], {name: (int(a), int(b), int(c)) for name, a, b, c in rows}


def overclaimed(ledger: Ledger, ring: str) -> dict[str, str] | None:
    """Operators for which the page claims more than was counted; None: not comparable."""
    version, claimed = claims()
    if version != hypothesis.__version__:
        return None
    column = (IN_PROCESS, ON_SPARK).index(ring)
    return {
        name: f"{numbers[column]} claimed, {ledger.of(ring, name)} counted"
        for name, numbers in claimed.items()
        if numbers[column] > ledger.of(ring, name)
    }


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="parity-") as directory:
        command = [sys.executable, "-m", "pytest", "-q", *sys.argv[1:], *TESTS]
        command += ["--deselect", "parity_tests/test_in_process.py::test_the_page_is_right"]
        command += [
            "--deselect",
            "parity_tests/test_random_on_spark.py::test_as_much_was_compared_as_the_page_says",
        ]
        result = subprocess.run(command, env={**os.environ, "PARITY_LEDGER": directory})
        if result.returncode:
            print("the tests failed; the page stays as it is", file=sys.stderr)
            return result.returncode
        ledger = Ledger()
        for path in Path(directory).glob("*.json"):
            ledger.add(Ledger.load(path))
    temporary = PAGE.with_name(PAGE.name + ".tmp")
    temporary.write_text(page(ledger), encoding="utf-8")
    os.replace(temporary, PAGE)
    print(f"docs/{PAGE.name}: {ledger.graphs[IN_PROCESS]} and {ledger.graphs[ON_SPARK]} graphs")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
