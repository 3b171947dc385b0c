"""DS213: the RDDs of a queue pass the driver."""

from tests.migrator.rules import HEAD, check_found, check_noop


def test_it_is_told_once_per_job() -> None:
    check_found("DS213", HEAD + "ssc.queueStream(a).pprint()\nssc.queueStream(b).pprint()\n", 7)


def test_other_sources_have_no_queue() -> None:
    check_noop("DS213", HEAD + "pairs.pprint()\n")


def test_a_queue_of_another_kind() -> None:
    check_noop("DS213", HEAD + "import queue\nwaiting = queue.Queue()\n")


def test_a_method_of_that_name_on_something_else() -> None:
    check_noop("DS213", HEAD + "player.queueStream(song)\n")
