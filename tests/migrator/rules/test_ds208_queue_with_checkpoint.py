"""DS208: a queue is not part of a checkpoint."""

from tests.migrator.rules import check_found, check_noop

HEAD = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n"


def test_a_queue_with_a_checkpoint_directory() -> None:
    check_found("DS208", HEAD + "ssc.checkpoint(d)\nssc.queueStream([[1]]).pprint()\n", 4)


def test_the_directory_may_be_set_in_another_module() -> None:
    check_found(
        "DS208",
        {
            "streams.py": "def make(ssc):\n    return ssc.queueStream([[1]])\n",
            "job.py": "import streams\n" + HEAD + "ssc.checkpoint(d)\nstreams.make(ssc).pprint()\n",
        },
        ("streams.py", 2),
    )


def test_a_queue_without_one_is_fine() -> None:
    check_noop("DS208", HEAD + "ssc.queueStream([[1]]).pprint()\n")


def test_another_source_with_one_is_fine() -> None:
    check_noop("DS208", HEAD + "ssc.checkpoint(d)\nssc.textFileStream(d).pprint()\n")


def test_the_checkpoint_of_a_stream_is_no_directory() -> None:
    check_noop("DS208", HEAD + "ssc.queueStream([[1]]).checkpoint(10).pprint()\n")


def test_an_rdd_checkpoint_is_something_else() -> None:
    check_noop("DS208", HEAD + "ssc.queueStream([[1]]).foreachRDD(lambda r: r.checkpoint())\n")
