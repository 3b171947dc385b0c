"""DS611: stopping gracefully, and contexts that are active."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "line",
    ["ssc.stop(True, True)", "ssc.stop(stopGraceFully=True)", "StreamingContext.getActive()"],
)
def test_what_does_without_accidents(line: str) -> None:
    check_found("DS611", HEAD + f"{line}\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "ssc.stop()",
        "ssc.stop(False)",
        "ssc.stop(True, False)",
        "ssc.stop(stopGraceFully=n)",
        "sc.stop()",
    ],
)
def test_plain_stops(line: str) -> None:
    check_noop("DS611", HEAD + f"{line}\n")
