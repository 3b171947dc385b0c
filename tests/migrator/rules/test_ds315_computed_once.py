"""DS315: a batch is computed once."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_two_actions_on_one_rdd() -> None:
    check_found("DS315", HEAD + "pairs.foreachRDD(lambda r: (r.count(), r.collect()))\n", 7)


def test_a_guard_is_an_action_too() -> None:
    code = HEAD + "def save(rdd):\n    if not rdd.isEmpty():\n        rdd.foreach(f)\n"
    check_found("DS315", code + "pairs.foreachRDD(save)\n", 10)


def test_accumulators_count_once() -> None:
    code = (
        HEAD + "seen = sc.accumulator(0)\ndef f(x):\n    global seen\n    seen += 1\n    return x\n"
    )
    check_found("DS315", code + "pairs.map(f).pprint()\n", 12)


@pytest.mark.parametrize(
    "call",
    [
        "foreachRDD(lambda r: r.count())",
        "foreachRDD(lambda r: (r.cache(), r.count(), r.collect()))",
        "foreachRDD(lambda r: (r.count(), other.count()))",
        "foreachRDD(lambda r: r.map(f).filter(g).collect())",
        "map(f).pprint()",
    ],
)
def test_one_action_or_a_cache(call: str) -> None:
    check_noop("DS315", HEAD + f"pairs.{call}\n")


def test_an_accumulator_in_an_output_is_not_in_a_function_of_the_stream() -> None:
    code = HEAD + "seen = sc.accumulator(0)\n"
    check_noop("DS315", code + "pairs.foreachRDD(lambda r: r.foreach(lambda x: seen.add(1)))\n")
