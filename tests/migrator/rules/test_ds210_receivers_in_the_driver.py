"""DS210: sockets and receivers are read in the driver process."""

from tests.migrator.rules import HEAD, check_found, check_noop


def test_sockets_are_told_once_per_job() -> None:
    check_found("DS210", HEAD + 'ssc.socketTextStream("other", 1).pprint()\n', 5)


def test_it_is_told_where_the_first_one_is() -> None:
    check_found(
        "DS210",
        {
            "streams.py": "def make(ssc):\n    return ssc.socketTextStream('host', 1)\n",
            "job.py": "from streams import make\nfrom pyspark.streaming import StreamingContext\n"
            "ssc = StreamingContext(sc, 2)\nmake(ssc).pprint()\nssc.start()\n",
        },
        ("streams.py", 2),
    )


NO_RECEIVER = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n"


def test_files_and_queues_have_no_receiver() -> None:
    check_noop("DS210", NO_RECEIVER + "ssc.textFileStream(d).union(ssc.queueStream(q)).pprint()\n")


def test_kafka_has_no_receiver_here() -> None:
    kafka = "from pyspark.streaming.kafka import KafkaUtils\n"
    check_noop("DS210", NO_RECEIVER + kafka + "KafkaUtils.createDirectStream(ssc, t, p).pprint()\n")


def test_a_structured_socket_source_is_something_else() -> None:
    check_noop("DS210", 'spark.readStream.format("socket").option("host", "h").load()\n')
