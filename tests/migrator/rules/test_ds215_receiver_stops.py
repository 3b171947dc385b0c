"""DS215: a receiver that stops itself stays stopped."""

from tests.migrator.rules import check_found, check_noop

HEAD = "from dstream_compat import StreamingContext\nssc = StreamingContext(sc, 2)\n"


def test_a_receiver_of_the_jobs_own() -> None:
    check_found("DS215", HEAD + "ssc.receiverStream(Mine()).pprint()\n", 3)


def test_sockets_are_not_stopped_by_the_job() -> None:
    check_noop("DS215", HEAD + "ssc.socketTextStream('h', 1).pprint()\n")


def test_stopping_the_context_is_something_else() -> None:
    check_noop("DS215", HEAD + "ssc.stop()\n")


def test_a_method_of_that_name_on_something_else() -> None:
    check_noop("DS215", HEAD + "radio.receiverStream(channel)\n")
