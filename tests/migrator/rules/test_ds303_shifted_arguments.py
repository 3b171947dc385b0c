"""DS303: arguments in the wrong place."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "pairs.reduceByKeyAndWindow(f, 24, 4, slideDuration=2)",
        "pairs.reduceByKeyAndWindow(lambda a, b: a + b, 24, 4)",
        "pairs.reduceByWindow(f, 24, 4, 2)",
        "pairs.window('24')",
        "pairs.window(lambda: 24)",
        "pairs.reduceByKey(f, 2.5)",
        "pairs.updateStateByKey(f, 'many')",
        "pairs.map(3)",
    ],
)
def test_what_cannot_be_right(call: str) -> None:
    check_found("DS303", HEAD + f"{call}.pprint()\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "pairs.reduceByKeyAndWindow(f, None, 24, 4)",
        "pairs.reduceByKeyAndWindow(f, g, 24, 4, 2, h)",
        "pairs.reduceByKeyAndWindow(f, INVERSE, 24)",
        "pairs.reduceByKeyAndWindow(f, False, 24)",
        "pairs.window(SECONDS, 4)",
        "pairs.window(2.0)",
        "pairs.window(int(text))",
        "pairs.reduceByKey(f, numPartitions=None)",
        "pairs.map(functions['f'])",
        "pairs.map(str)",
        "pairs.map(partial(f, 3))",
    ],
)
def test_what_may_be_right(call: str) -> None:
    check_noop("DS303", HEAD + f"{call}.pprint()\n")


def test_rdds_are_not_looked_at() -> None:
    check_noop("DS303", HEAD + "sc.parallelize([1]).map(3)\n")
