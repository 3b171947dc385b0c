"""DS401: state needs a checkpoint directory."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    "call",
    [
        "updateStateByKey(f)",
        "reduceByKeyAndWindow(f, g, 4)",
        "countByWindow(4, 2)",
        "groupByKeyAndWindow(4, 2)",
        "reduceByWindow(f, g, 4, 2)",
    ],
)
def test_state_without_a_directory(call: str) -> None:
    check_found("DS401", HEAD + f"pairs.{call}.pprint()\nssc.start()\n", 7)


@pytest.mark.parametrize(
    "line",
    [
        "ssc.checkpoint('d')",
        "sc.setCheckpointDir('d')",
        "sc._conf.set('spark.streaming.checkpoint.directory', 'd')",
        "StreamingContext.getOrCreate('d', set_up)",
    ],
)
def test_a_directory_set_in_any_way(line: str) -> None:
    check_noop("DS401", HEAD + f"{line}\npairs.updateStateByKey(f).pprint()\n")


@pytest.mark.parametrize(
    "call", ["reduceByKeyAndWindow(f, None, 4)", "window(4)", "window(4).count()", "reduceByKey(f)"]
)
def test_what_needs_none(call: str) -> None:
    check_noop("DS401", HEAD + f"pairs.{call}.pprint()\n")


def test_a_context_made_elsewhere_may_have_one() -> None:
    check_noop(
        "DS401",
        """\
        from pyspark.streaming import StreamingContext
        def build(ssc: StreamingContext):
            ssc.socketTextStream("host", 1).updateStateByKey(f).pprint()
        """,
    )


def test_another_module_of_the_job_may_set_it() -> None:
    check_noop(
        "DS401",
        {
            "totals.py": "def build(stream):\n    stream.updateStateByKey(f).pprint()\n",
            "job.py": "import totals\n" + HEAD + "ssc.checkpoint('d')\ntotals.build(pairs)\n",
        },
    )
