"""DS605: start() is called more than once."""

from tests.migrator.rules import HEAD, check_found, check_noop


def test_the_second_start_is_found() -> None:
    check_found("DS605", HEAD + "pairs.pprint()\nssc.start()\nssc.start()\n", 9)


def test_one_start() -> None:
    check_noop("DS605", HEAD + "pairs.pprint()\nssc.start()\n")


def test_two_contexts() -> None:
    code = HEAD + "other = StreamingContext(sc, 4)\npairs.pprint()\nssc.start()\nother.start()\n"
    check_noop("DS605", code)


def test_something_else_is_started() -> None:
    check_noop("DS605", HEAD + "pairs.pprint()\nthread.start()\nssc.start()\n")


def test_two_methods_that_both_start_it_are_two_ways_to_run() -> None:
    check_noop(
        "DS605",
        """\
        from pyspark.streaming import StreamingContext
        class Job:
            def __init__(self, sc):
                self.ssc = StreamingContext(sc, 2)
                self.ssc.socketTextStream("host", 1).pprint()
            def train(self):
                self.ssc.start()
            def predict(self):
                self.ssc.start()
        """,
    )


def test_one_or_the_other() -> None:
    code = HEAD + "pairs.pprint()\nif fast:\n    ssc.start()\nelse:\n    ssc.start()\n"
    check_noop("DS605", code)
