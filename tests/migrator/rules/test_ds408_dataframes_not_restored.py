"""DS408: DataFrames in jobs that restore themselves."""

from tests.migrator.rules import HEAD, check_found, check_noop

MOVED = HEAD.replace("pyspark.streaming", "dstream_compat")
RESTORED = "StreamingContext.getOrCreate(d, f)\n"


def test_a_stream_as_a_data_frame() -> None:
    check_found("DS408", MOVED + RESTORED + "pairs.toDF(schema)\n", 8)


def test_a_data_frame_as_a_stream() -> None:
    check_found("DS408", MOVED + RESTORED + "ssc.dataFrameStream(df).pprint()\n", 8)


def test_a_job_that_is_never_restored() -> None:
    check_noop("DS408", MOVED + "ssc.checkpoint(d)\npairs.toDF(schema)\n")


def test_an_rdd_as_a_data_frame() -> None:
    check_noop("DS408", MOVED + RESTORED + "pairs.foreachRDD(lambda rdd: rdd.toDF().show())\n")


def test_a_job_without_data_frames() -> None:
    check_noop("DS408", MOVED + RESTORED + "pairs.pprint()\n")
