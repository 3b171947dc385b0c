"""DS402: checkpoints of the legacy engine."""

from tests.migrator.rules import check_found, check_noop

IMPORT = "from pyspark.streaming import StreamingContext\n"


def test_a_job_that_restores_itself() -> None:
    check_found("DS402", IMPORT + "ssc = StreamingContext.getOrCreate(d, f)\n", 2)


def test_get_active_or_create_with_a_directory() -> None:
    check_found("DS402", IMPORT + "ssc = StreamingContext.getActiveOrCreate(d, f)\n", 2)


def test_get_active_or_create_without_one() -> None:
    check_noop("DS402", IMPORT + "ssc = StreamingContext.getActiveOrCreate(None, f)\n")


def test_a_job_that_only_has_a_directory() -> None:
    check_noop("DS402", IMPORT + "ssc = StreamingContext(sc, 2)\nssc.checkpoint(d)\n")


def test_a_moved_job_has_a_directory_of_its_own() -> None:
    moved = "from dstream_compat import StreamingContext\n"
    check_noop("DS402", moved + "ssc = StreamingContext.getOrCreate(d, f)\n")


def test_other_things_that_are_made_once() -> None:
    check_noop("DS402", "from pyspark import SparkContext\nsc = SparkContext.getOrCreate()\n")
    check_noop(
        "DS402", "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate()\n"
    )
