"""DS609: what is different for every moved job."""

from migrator.core import Readiness, Severity
from tests.migrator.rules import HEAD, check_found, check_noop


def test_one_note_per_job() -> None:
    (found,) = check_found("DS609", HEAD + "other = StreamingContext(sc, 4)\n", 4)
    assert (found.severity, found.readiness) == (Severity.INFO, Readiness.READY)


def test_one_note_for_a_job_of_two_modules() -> None:
    check_found(
        "DS609",
        {
            "streams.py": "def show(stream):\n    stream.pprint()\n",
            "job.py": "import streams\n" + HEAD + "streams.show(pairs)\nssc.start()\n",
        },
        ("job.py", 5),
    )


def test_two_jobs_have_a_note_each() -> None:
    job = HEAD + "pairs.pprint()\nssc.start()\n"
    check_found("DS609", {"a.py": job, "b.py": job}, ("a.py", 4), ("b.py", 4))


def test_no_job() -> None:
    check_noop(
        "DS609", "from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate()\n"
    )


def test_a_module_that_only_imports() -> None:
    check_noop("DS609", "from pyspark.streaming import StreamingContext\n")


def test_a_module_that_is_handed_a_context() -> None:
    check_noop(
        "DS609",
        "from pyspark.streaming import StreamingContext\n"
        "def run(ssc: StreamingContext):\n    ssc.start()\n",
    )
