"""DS301: calls that no DStream has."""

import pytest

from tests.migrator.rules import HEAD, check_found, check_noop


@pytest.mark.parametrize(
    ("call", "way_out"),
    [
        ("collect()", "foreachRDD(lambda rdd: … rdd.collect(…))"),
        ("take(3)", "foreachRDD(lambda rdd: … rdd.take(…))"),
        ("sortByKey()", "transform(lambda rdd: rdd.sortByKey(…))"),
        ("sortBy(f)", "transform(lambda rdd: rdd.sortBy(…))"),
        ("distinct()", "transform(lambda rdd: rdd.distinct(…))"),
        ("print()", "pprint"),
        ("saveToCassandra('k', 't')", "foreachRDD"),
        ("frobnicate()", "transform or foreachRDD"),
    ],
)
def test_each_has_its_way_out(call: str, way_out: str) -> None:
    (found,) = check_found("DS301", HEAD + f"pairs.{call}\n", 7)
    assert way_out in found.help


def test_it_is_found_in_the_middle_of_a_chain_on_its_own_line() -> None:
    check_found(
        "DS301", HEAD + "(pairs\n    .reduceByKey(f)\n    .sortByKey()\n    .pprint())\n", 9
    )


def test_a_context_has_no_file_stream_in_python() -> None:
    check_found("DS301", HEAD + "ssc.fileStream(d)\n", 7)


@pytest.mark.parametrize(
    "call",
    [
        "transform(lambda rdd: rdd.sortByKey()).pprint()",
        "foreachRDD(lambda rdd: print(rdd.collect()))",
        "mapValues(len).flatMapValues(list).glom().pprint()",
        "mapWithState(spec).stateSnapshots().pprint()",
        "toDF(schema)",
        "saveAsPickleFiles('out')",
        "updateStateByKey(f).named('total').pprint()",
    ],
)
def test_what_streams_have(call: str) -> None:
    check_noop("DS301", HEAD + f"pairs.{call}\n")


def test_rdds_and_data_frames_have_what_they_have() -> None:
    check_noop("DS301", HEAD + "sc.parallelize([1]).collect()\nspark.range(3).show()\n")


def test_a_record_is_no_stream_whatever_its_name() -> None:
    check_noop("DS301", HEAD + "pairs.map(lambda stream: stream.collect()).pprint()\n")


def test_private_methods_belong_to_another_rule() -> None:
    check_noop("DS301", HEAD + "pairs._jdstream()\n")


def test_methods_that_the_job_patches_in_are_not_missing() -> None:
    check_noop(
        "DS301",
        "from pyspark.streaming import DStream\n"
        "DStream.save = lambda self: self.pprint()\n" + HEAD + "pairs.save()\n",
    )
