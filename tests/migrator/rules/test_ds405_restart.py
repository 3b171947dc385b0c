"""DS405: what is run again after a restart."""

from tests.migrator.rules import HEAD, check_found, check_noop

IMPORT = "from pyspark.streaming import StreamingContext\n"


def test_a_job_that_restores_itself() -> None:
    check_found("DS405", IMPORT + "ssc = StreamingContext.getOrCreate(d, f)\n", 2)


def test_it_is_told_once_per_job() -> None:
    check_found("DS405", IMPORT + "ssc = StreamingContext.getOrCreate(d, f)\n" * 2, 2)


def test_a_job_that_never_restores_itself() -> None:
    check_noop("DS405", HEAD + "ssc.checkpoint(d)\npairs.pprint()\n")


def test_a_session_that_is_made_once() -> None:
    check_noop(
        "DS405", "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate()\n"
    )


def test_another_get_or_create() -> None:
    check_noop("DS405", IMPORT + "Singleton.getOrCreate(d, f)\n")
