"""DS604: stop() inside a batch function."""

from migrator.core import Readiness, Severity
from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_plain_stop_only_asks() -> None:
    (found,) = check_found("DS604", HEAD + "pairs.foreachRDD(lambda rdd: ssc.stop())\n", 7)
    assert (found.severity, found.readiness) == (Severity.INFO, Readiness.READY)


def test_a_graceful_stop_does_not_wait_for_everything() -> None:
    code = HEAD + "def f(rdd):\n    ssc.stop(stopGraceFully=True)\npairs.foreachRDD(f)\n"
    (found,) = check_found("DS604", code, 8)
    assert (found.severity, found.readiness) == (Severity.WARNING, Readiness.DECIDE)


def test_through_another_function() -> None:
    code = HEAD + "def end():\n    ssc.stop()\ndef f(rdd):\n    end()\npairs.foreachRDD(f)\n"
    check_found("DS604", code, 8)


def test_outside_of_batches() -> None:
    check_noop("DS604", HEAD + "pairs.pprint()\nssc.start()\nssc.stop(True, True)\n")


def test_a_function_that_no_batch_calls() -> None:
    check_noop("DS604", HEAD + "def end():\n    ssc.stop()\npairs.foreachRDD(f)\nend()\n")


def test_something_else_is_stopped() -> None:
    check_noop("DS604", HEAD + "pairs.foreachRDD(lambda rdd: timer.stop())\n")


def test_the_spark_context_is_another_thing() -> None:
    check_noop("DS604", HEAD + "pairs.pprint()\nsc.stop()\n")
