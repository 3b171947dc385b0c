"""DS404: directories with files of the legacy engine."""

from migrator.core import Readiness
from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_job_with_a_directory_is_still_ready() -> None:
    (found,) = check_found("DS404", HEAD + "ssc.checkpoint(d)\n", 7)
    assert found.readiness is Readiness.READY


def test_no_directory() -> None:
    check_noop("DS404", HEAD + "ssc.checkpoint(None)\n")


def test_the_checkpoint_of_a_stream() -> None:
    check_noop("DS404", HEAD + "pairs.checkpoint(10)\n")


def test_a_moved_job() -> None:
    moved = HEAD.replace("pyspark.streaming", "dstream_compat")
    check_noop("DS404", moved + "ssc.checkpoint(d)\n")


def test_other_checkpoints() -> None:
    check_noop("DS404", HEAD + "model.checkpoint(d)\nsc.setCheckpointDir(d)\n")
