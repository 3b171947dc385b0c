"""DS410: state kept in variables of the driver."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "function",
    [
        "def f(rdd):\n    global n\n    n = n + rdd.count()\n",
        "def f(rdd):\n    rows.append(rdd.count())\n",
        "def f(rdd):\n    totals.update(rdd.collectAsMap())\n",
    ],
)
def test_functions_that_remember(function: str) -> None:
    check_found("DS410", HEAD + function + "pairs.foreachRDD(f)\n", 7 + function.count("\n"))


def test_an_object_that_remembers() -> None:
    check_found(
        "DS410",
        HEAD
        + """\
class Job:
    def build(self):
        pairs.foreachRDD(lambda time, rdd: self.add(rdd))
        pairs.foreachRDD(self.keep)
    def keep(self, time, rdd):
        self.last = rdd.count()
Job().build()
""",
        10,
    )


@pytest.mark.parametrize(
    "function",
    [
        "def f(rdd):\n    rows = []\n    rows.append(rdd.count())\n",
        "def f(rdd):\n    print(rdd.count())\n",
        "def f(rdd):\n    client.update(key)\n",
        "def f(rdd):\n    n = rdd.count()\n",
        "def f(rdd):\n    print(total)\n",
        "def f(rdd):\n    rdd.foreach(lambda x: names.add(x))\n",
    ],
)
def test_functions_that_do_not(function: str) -> None:
    check_noop("DS410", HEAD + function + "pairs.foreachRDD(f)\n")


def test_functions_of_operators_run_elsewhere() -> None:
    check_noop("DS410", HEAD + "pairs.map(lambda p: rows.append(p.count())).pprint()\n")
