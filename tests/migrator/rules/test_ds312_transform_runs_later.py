"""DS312: when transform functions run."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call", ["pairs.transform(f)", "pairs.transformWith(f, lines)", "ssc.transform([pairs], f)"]
)
def test_all_three_forms(call: str) -> None:
    check_found("DS312", HEAD + f"{call}.pprint()\n", 7)


def test_it_is_told_once_per_job() -> None:
    check_found("DS312", HEAD + "pairs.transform(f).transform(g).pprint()\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "pairs.map(f).pprint()",
        "pairs.foreachRDD(f)",
        "scaler.transform(data)",
        "model.transform(df)",
    ],
)
def test_everything_else(call: str) -> None:
    check_noop("DS312", HEAD + f"{call}\n")
