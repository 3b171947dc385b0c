"""DS411: RDDs kept beyond their batch."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "function",
    [
        "def f(rdd):\n    kept.append(rdd)\n",
        "def f(time, rdd):\n    kept[time] = rdd\n",
        "def f(rdd):\n    global last\n    last = rdd\n",
        "def f(rdd):\n    holder.last = rdd\n",
    ],
)
def test_functions_that_keep_it(function: str) -> None:
    check_found("DS411", HEAD + function + "pairs.foreachRDD(f)\n", 7 + function.count("\n"))


@pytest.mark.parametrize(
    "function",
    [
        "def f(rdd):\n    kept.append(rdd.collect())\n",
        "def f(rdd):\n    last = rdd\n    last.count()\n",
        "def f(time, rdd):\n    kept.append(time)\n",
        "def f(rdd):\n    save(rdd)\n",
        "def f(rdd):\n    frame = rdd.toDF()\n",
        "def f(rdd):\n    rdd = rdd.map(g)\n",
    ],
)
def test_functions_that_do_not(function: str) -> None:
    check_noop("DS411", HEAD + function + "pairs.foreachRDD(f)\n")
