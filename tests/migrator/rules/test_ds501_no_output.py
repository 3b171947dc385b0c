"""DS501: jobs without an output operation."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_job_that_only_computes() -> None:
    check_found("DS501", HEAD + "pairs.reduceByKey(f)\nssc.start()\n", 8)


@pytest.mark.parametrize(
    "line",
    [
        "pairs.pprint()",
        "pairs.foreachRDD(f)",
        "pairs.saveAsTextFiles('out')",
        "elsewhere.write(pairs)",
        "getattr(pairs, name)()",
        "pairs.toDF(schema)",
        "pairs.saveToCassandra('k', 't')",
    ],
)
def test_an_output_or_a_place_where_one_may_be(line: str) -> None:
    check_noop("DS501", HEAD + f"{line}\nssc.start()\n")


def test_a_trained_model_is_an_output() -> None:
    check_noop(
        "DS501",
        HEAD
        + "from pyspark.mllib.clustering import StreamingKMeans\n"
        + "StreamingKMeans(k=2).trainOn(lines)\nssc.start()\n",
    )


def test_an_output_in_another_module() -> None:
    check_noop(
        "DS501",
        {
            "sink.py": "def write(stream):\n    stream.pprint()\n",
            "job.py": "import sink\n" + HEAD + "sink.write(pairs)\nssc.start()\n",
        },
    )


def test_a_context_that_is_handed_over_may_have_outputs() -> None:
    check_noop(
        "DS501",
        "from pyspark.streaming import StreamingContext\n"
        "def run(ssc: StreamingContext):\n    ssc.start()\n",
    )


def test_a_job_that_is_not_started() -> None:
    check_noop("DS501", HEAD)
