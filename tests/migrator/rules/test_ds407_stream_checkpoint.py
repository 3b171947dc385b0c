"""DS407: checkpoint on a stream."""

from tests.migrator.rules import HEAD, check_found, check_noop


def test_the_interval_of_a_stream() -> None:
    check_found("DS407", HEAD + "pairs.checkpoint(10)\n", 7)


def test_it_is_told_once_per_job() -> None:
    check_found("DS407", HEAD + "pairs.checkpoint(10)\nlines.checkpoint(10)\n", 7)


def test_the_directory_of_a_context() -> None:
    check_noop("DS407", HEAD + "ssc.checkpoint(d)\n")


def test_the_checkpoint_of_an_rdd() -> None:
    check_noop("DS407", HEAD + "pairs.foreachRDD(lambda rdd: rdd.checkpoint())\n")


def test_the_checkpoint_of_something_else() -> None:
    check_noop("DS407", HEAD + "model.checkpoint(10)\n")
