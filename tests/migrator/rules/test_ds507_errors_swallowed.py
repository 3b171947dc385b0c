"""DS507: errors that do not arrive where they are caught."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop

BATCH = """\
def f(rdd):
    try:
        rdd.count()
    except{kind}:
        {what}
pairs.foreachRDD(f)
"""


@pytest.mark.parametrize("kind", ["", " Exception", " BaseException"])
@pytest.mark.parametrize("what", ["pass", "return"])
def test_errors_passed_over(kind: str, what: str) -> None:
    check_found("DS507", HEAD + BATCH.format(kind=kind, what=what), 12)


def test_a_try_around_the_building_of_the_job() -> None:
    check_found("DS507", HEAD + "try:\n    pairs.foreachRDD(f)\nexcept Exception:\n    log()\n", 8)


@pytest.mark.parametrize(
    ("kind", "what"), [(" ValueError", "pass"), (" Exception", "log()"), ("", "raise")]
)
def test_errors_that_are_dealt_with(kind: str, what: str) -> None:
    check_noop("DS507", HEAD + BATCH.format(kind=kind, what=what))


def test_a_try_around_the_whole_run() -> None:
    code = HEAD + "try:\n    pairs.foreachRDD(f)\n    ssc.start()\n    ssc.awaitTermination()\n"
    check_noop("DS507", code + "except Exception:\n    log()\n")


def test_a_try_with_a_certain_error() -> None:
    check_noop("DS507", HEAD + "try:\n    pairs.foreachRDD(f)\nexcept OSError:\n    log()\n")


def test_a_try_in_a_function_that_is_called_elsewhere() -> None:
    check_noop(
        "DS507", HEAD + "try:\n    import json\nexcept Exception:\n    pass\npairs.pprint()\n"
    )
