"""DS103: what the shim does not have stays where it is, and is named."""

from tests.migrator.rules import check_found, check_noop, check_rewritten


def test_other_names_of_the_statement_move() -> None:
    check_rewritten(
        "from pyspark.streaming.util import (\n    TransformFunction,  # one\n"
        "    rddToFileName,\n)\nprint(TransformFunction, rddToFileName)\n",
        "from dstream_compat.util import rddToFileName\n"
        "from pyspark.streaming.util import (\n    TransformFunction,  # one\n)\n"
        "print(TransformFunction, rddToFileName)\n",
    )


def test_each_missing_name_is_a_finding() -> None:
    found = check_found(
        "DS103",
        "from pyspark.streaming.util import TransformFunction, X\nprint(TransformFunction, X)\n",
        1,
        1,
    )
    assert [f.message.split()[0] for f in found] == [
        "pyspark.streaming.util.TransformFunction",
        "pyspark.streaming.util.X",
    ]


def test_a_module_that_is_missing_keeps_its_uses() -> None:
    code = "import pyspark.streaming.tests\nclass A(pyspark.streaming.tests.Case): pass\n"
    check_found("DS103", code, 1)
    check_rewritten(code, code)


def test_names_that_are_never_used_are_not_missed() -> None:
    check_noop(
        "DS103",
        "from pyspark.streaming.util import TransformFunction, rddToFileName\n"
        "print(rddToFileName)\n",
    )


def test_a_star_of_a_missing_module_is_found() -> None:
    check_found(
        "DS103",
        "from pyspark.streaming.duration import *\nssc = StreamingContext(sc, Seconds(1))\n",
        1,
    )


def test_names_taken_from_a_module_by_its_name_are_found_where_they_are_used() -> None:
    code = "import pyspark.streaming.util as u\nu.rddToFileName(a, b, t)\nu.TransformFunction(sc)\n"
    check_found("DS103", code, 3)
    code = "from pyspark import streaming\nprint(streaming.util.TransformFunction)\n"
    check_found("DS103", code, 2)


def test_an_imported_name_is_found_once() -> None:
    code = "from pyspark.streaming.util import TransformFunction\nTransformFunction(sc, f)\n"
    check_found("DS103", code, 1)


def test_what_a_module_has_by_chance_is_found_where_it_is_taken_from_it_by_name() -> None:
    code = "import pyspark.streaming.kafka as k\nprint(k.StorageLevel, k.KafkaUtils)\n"
    check_found("DS103", code, 2)
    check_noop("DS103", "import pyspark.streaming.kinesis as k\nprint(k.StorageLevel)\n")
    check_noop("DS103", "import pyspark\nimport pyspark.streaming\nprint(pyspark.SparkContext)\n")
