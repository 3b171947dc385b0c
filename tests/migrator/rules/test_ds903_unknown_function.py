"""DS903: streams handed to functions that are not there."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize("line", ["show(lines)", "helpers.show(1, lines)", "Sink(stream=lines)"])
def test_functions_from_elsewhere(line: str) -> None:
    check_found("DS903", "from elsewhere import *\n" + HEAD + f"{line}\n", 8)


@pytest.mark.parametrize(
    "line",
    [
        "print(lines)",
        "isinstance(lines, object)",
        "pairs.join(lines).pprint()",
        "ssc.union(lines, lines).pprint()",
        "show(3)",
        "streams = [lines]",
        "len([lines])",
    ],
)
def test_functions_that_are_known(line: str) -> None:
    check_noop("DS903", HEAD + f"{line}\n")


def test_a_function_of_the_job() -> None:
    check_noop("DS903", HEAD + "def show(stream):\n    stream.pprint()\nshow(lines)\n")


def test_a_function_of_another_module_of_the_run() -> None:
    check_noop(
        "DS903",
        {
            "sink.py": "def show(stream):\n    stream.pprint()\n",
            "job.py": "from sink import show\n" + HEAD + "show(lines)\n",
        },
    )


def test_models_of_mllib_have_a_rule_of_their_own() -> None:
    code = HEAD + "from pyspark.mllib.clustering import StreamingKMeans\n"
    check_noop("DS903", code + "StreamingKMeans(k=2).trainOn(lines)\n")
