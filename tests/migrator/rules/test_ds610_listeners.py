"""DS610: what listeners see."""

from tests.migrator.rules import HEAD, check_found, check_noop


def test_a_listener_is_added() -> None:
    check_found("DS610", HEAD + "ssc.addStreamingListener(listener)\n", 7)


def test_it_is_told_once_per_job() -> None:
    check_found("DS610", HEAD + "ssc.addStreamingListener(a)\nssc.addStreamingListener(b)\n", 7)


def test_a_listener_that_is_only_defined() -> None:
    check_noop(
        "DS610",
        "from pyspark.streaming.listener import StreamingListener\n"
        "class Mine(StreamingListener):\n    pass\n",
    )


def test_listeners_of_queries_are_something_else() -> None:
    check_noop("DS610", HEAD + "spark.streams.addListener(listener)\n")


def test_a_job_without_one() -> None:
    check_noop("DS610", HEAD + "pairs.pprint()\n")
