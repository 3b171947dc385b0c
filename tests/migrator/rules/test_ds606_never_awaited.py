"""DS606: jobs that nobody waits for."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_script_that_ends_behind_its_start() -> None:
    check_found("DS606", HEAD + "pairs.pprint()\nssc.start()\n", 8)


@pytest.mark.parametrize(
    "line",
    ["ssc.awaitTermination()", "ssc.awaitTerminationOrTimeout(9)", "ssc.stop()", "wait.stop(ssc)"],
)
def test_somebody_waits(line: str) -> None:
    check_noop("DS606", HEAD + f"pairs.pprint()\nssc.start()\n{line}\n")


def test_another_module_waits() -> None:
    check_noop(
        "DS606",
        {
            "streams.py": HEAD + "pairs.pprint()\nssc.start()\n",
            "job.py": "import streams\nstreams.ssc.awaitTermination()\n",
        },
    )


def test_a_job_that_is_not_started() -> None:
    check_noop("DS606", HEAD + "pairs.pprint()\n")
