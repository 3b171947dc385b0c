"""DS321: functions that end their partition with a StopIteration."""

from __future__ import annotations

import pytest

from migrator.rules._examples import HEAD
from tests.migrator.rules import check_found, check_noop


@pytest.mark.parametrize("method", ["map", "flatMap", "filter", "mapValues", "flatMapValues"])
def test_every_operator_that_calls_once_per_record(method: str) -> None:
    check_found("DS321", HEAD + f"pairs.{method}(lambda x: next(iter(x))).pprint()\n", 5)


def test_a_named_function_is_looked_into() -> None:
    code = "def head(x):\n    found = next(f for f in x if f)\n    return found\n"
    check_found("DS321", HEAD + code + "lines.map(head).pprint()\n", 8)


@pytest.mark.parametrize(
    "body",
    [
        "    return next(iter(x), None)\n",
        "    try:\n        return next(iter(x))\n    except StopIteration:\n        return None\n",
        "    yield next(iter(x))\n",
        "    return x.next()\n",
        "    return [y for y in x]\n",
        "    raise ValueError(x)\n",
    ],
)
def test_what_has_a_default_or_is_handled_is_fine(body: str) -> None:
    check_noop("DS321", HEAD + f"def f(x):\n{body}lines.map(f).pprint()\n")


def test_partitions_and_batches_are_another_matter() -> None:
    check_noop("DS321", HEAD + "lines.mapPartitions(lambda part: [next(part)]).pprint()\n")
    check_noop("DS321", HEAD + "lines.foreachRDD(lambda rdd: next(rdd.toLocalIterator()))\n")
