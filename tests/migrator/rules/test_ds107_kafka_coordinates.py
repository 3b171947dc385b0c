"""DS107: old Kafka connectors in strings."""

import pytest

from migrator.core import Readiness
from migrator.text.maven import KAFKA
from tests.migrator.rules import check_found, check_noop, check_rewritten, rewritten

OLD = [
    "org.apache.spark:spark-streaming-kafka-0-8_2.11:2.4.0",
    "org.apache.spark:spark-streaming-kafka_2.10:1.6.0",
    "org.apache.spark:spark-streaming-kafka-assembly_2.10:1.6.3",
    "org.apache.spark:spark-streaming-kafka-0-8-assembly_2.11:2.0.0-preview",
    "org.apache.spark:spark-streaming-kafka-0-10_2.12:3.5.1",
    "org.apache.spark:spark-sql-kafka-0-10_2.11:2.4.5",
]


@pytest.mark.parametrize("old", OLD)
@pytest.mark.parametrize(
    "line",
    [
        "os.environ['PYSPARK_SUBMIT_ARGS'] = '--packages {} pyspark-shell'\n",
        'conf.set("spark.jars.packages", "a:b:1,{},c:d:2")\n',
        'args = ("--master local[2] "\n        "--packages {}")\n',
        "args = f'--packages {} --name {{name}}'\n",
    ],
)
def test_coordinates_are_exchanged(line: str, old: str) -> None:
    check_rewritten(line.format(old), line.format(KAFKA))


def test_all_coordinates_of_a_string_are_exchanged() -> None:
    check_rewritten(f'x = "{OLD[0]},{OLD[5]}"\n', f'x = "{KAFKA},{KAFKA}"\n')


@pytest.mark.parametrize(
    "code",
    [
        'x = "org.apache.spark:spark-streaming-kafka-0-8_2.11:{}".format(version)\n',
        'x = f"org.apache.spark:spark-streaming-kafka-0-8_2.11:{version}"\n',
        'x = "org.apache.spark:spark-streaming-kafka-" "0-8_2.11:2.4.0"\n',
        'x = "/opt/spark-streaming-kafka-0-8-assembly_2.11-2.4.0.jar"\n',
        'x = "--jars a.jar,spark-streaming-kafka-assembly_2.10-1.6.0.jar pyspark-shell"\n',
    ],
)
def test_what_cannot_be_exchanged_is_found(code: str) -> None:
    (finding,) = check_found("DS107", code, 1)
    assert finding.readiness is Readiness.DECIDE
    assert rewritten(code, unsafe=True) == code


def test_the_connector_of_an_older_spark_is_exchanged() -> None:
    for version in ("3.5.0", "4.0.1", "4.1.0"):
        code = f'x = "org.apache.spark:spark-sql-kafka-0-10_2.13:{version}"\n'
        assert rewritten(code) == f'x = "{KAFKA}"\n'


def test_a_single_jar_becomes_coordinates_only_where_asked_for() -> None:
    code = 'x = "--jars lib/spark-streaming-kafka-assembly_2.10-1.6.0.jar pyspark-shell"\n'
    assert rewritten(code) == code
    assert rewritten(code, unsafe=True) == f'x = "--packages {KAFKA} pyspark-shell"\n'


@pytest.mark.parametrize(
    "code",
    [
        f"# --packages {OLD[0]}\nx = 1\n",
        f'"""Run with --packages {OLD[0]}."""\n',
        f'def f():\n    """--packages {OLD[0]}"""\n',
        f'x = "{KAFKA}"\n',
        'x = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"\n',
        'x = "org.apache.spark:spark-streaming-kinesis-asl_2.13:4.2.0"\n',
    ],
)
def test_comments_docstrings_and_new_coordinates_stay(code: str) -> None:
    check_noop("DS107", code)
    assert rewritten(code) == code
