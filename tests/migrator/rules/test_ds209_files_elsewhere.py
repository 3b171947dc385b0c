"""DS209: remote and compressed files pass the driver."""

import pytest

from tests.migrator.rules import check_found, check_noop

HEAD = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 2)\n"


@pytest.mark.parametrize(
    "path", ['"hdfs://host/in"', '"s3a://bucket/in"', 'f"gs://{bucket}/in"', '"wasb://" + name']
)
def test_remote_directories(path: str) -> None:
    check_found("DS209", HEAD + f"ssc.textFileStream({path}).pprint()\n", 3)


def test_a_pattern_of_compressed_files() -> None:
    check_found("DS209", HEAD + 'ssc.textFileStream("/in/*.gz").pprint()\n', 3)


@pytest.mark.parametrize(
    "path", ['"/data/in"', '"in"', '"file:///in"', "sys.argv[1]", r'"C:\\in"', '"a,b:c"']
)
def test_local_and_unknown_directories(path: str) -> None:
    check_noop("DS209", HEAD + f"ssc.textFileStream({path}).pprint()\n")


def test_batch_reads_are_something_else() -> None:
    check_noop("DS209", HEAD + 'static = sc.textFile("hdfs:///in")\n')
