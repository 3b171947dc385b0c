"""DS902: streams that go through names chosen at run time."""

import pytest

from migrator.core import Readiness
from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "line",
    [
        "getattr(pipelines, name)(lines)",
        "getattr(lines, name)()",
        "globals()[name](lines)",
    ],
)
def test_what_is_chosen_at_run_time(line: str) -> None:
    (found,) = check_found("DS902", HEAD + f"{line}\n", 7)
    assert found.readiness is Readiness.UNKNOWN


@pytest.mark.parametrize(
    "line",
    [
        "getattr(lines, 'map')(f).pprint()",
        "lines.map(getattr(functions, name)).pprint()",
        "getattr(settings, name)",
        "getattr(pipelines, name)(3)",
        "globals()[name](3)",
    ],
)
def test_what_is_known_or_no_stream(line: str) -> None:
    check_noop("DS902", HEAD + f"{line}\n")
