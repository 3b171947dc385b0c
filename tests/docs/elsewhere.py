"""Commands that these tests do not run: what runs them instead, or why nothing does."""

from __future__ import annotations

from tests.docs.blocks import Command

ELSEWHERE = {
    "make demo": "tests/test_demo.py::test_it_goes_the_whole_way",
    "python -m samples.demo --sabotage": (
        "tests/test_demo.py::test_a_mistake_in_the_rewritten_job_is_the_verdict"
    ),
    "python -m samples.verify": (
        "tests/samples/test_verified.py::test_a_sample_is_equal_to_its_reference"
    ),
    "pytest --parity-examples": (
        "tests/dstream_parity/test_plugin.py::"
        "test_the_project_in_the_guide_passes_and_a_difference_is_shown"
    ),
    "python -m pytest --parity-examples": (
        "tests/dstream_parity/test_plugin.py::"
        "test_the_project_in_the_guide_passes_and_a_difference_is_shown"
    ),
    "python -m dstream_compat.offsets dump": (
        "tests/dstream_compat/connectors/kafka/test_docs.py::test_offsets_are_checked_as_the_page_says"
    ),
}
"""The start of a command, and the test that runs it."""

NOT_RUN = {
    "make test": "is what runs this",
    "make check": "is what runs this",
    "make V=1 test": "is what runs this",
    "make bench": "takes minutes, and its figures depend on the machine",
    "make bench-idle": "takes minutes, and its figures depend on the machine",
    "make chaos": "takes ten minutes; tests/dstream_compat/engine/test_chaos.py kills the same job",
    "make parity-deep": "runs for as long as it is told to",
    "make pyspark-tests": "needs a checkout of Spark's sources",
    "pip install": "would change the environment of the tests",
    "spark-submit --packages": "fetches jars from Maven Central at every start",
}
"""The start of a command, and the reason."""

DRAWINGS = {
    "CONTRIBUTING.md": 1,  # the order of the rooms
    "docs/internals.md": 2,  # the stages of a plan, the steps of a run of migrate
    "docs/recording.md": 1,  # the files of a recording; test_snippets.py looks at one
}
"""How many text blocks of a page are printed neither by a snippet nor by a command."""


def reason(command: Command) -> str | None:
    """Why a command is not run here; None if it is."""
    words = " ".join(command.words)
    for begin, why in {**ELSEWHERE, **NOT_RUN}.items():
        if words == begin or words.startswith(f"{begin} "):
            return why
    return None
