"""Idioms of real jobs that no other file here has, as far as the model goes."""

from __future__ import annotations

from migrator.model.jobmodel import Kind
from tests.migrator.model.inference import (
    HEAD,
    escapes,
    found,
    graph,
    job,
    module,
    operations,
    project,
)


def test_flags_decide_the_topology_and_both_ways_are_there() -> None:
    code = HEAD + (
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\n"
        "stream = lines\n"
        "if args.window:\n    stream = stream.window(30)\n"
        "if args.kind == 'count':\n    stream = stream.count()\n"
        "elif args.kind == 'first':\n    stream = stream.map(first)\n"
        "stream.pprint()\n"
    )
    assert graph(project(code))[1:] == [
        "window <- socketTextStream",
        "count <- socketTextStream + window",
        "map <- socketTextStream + window",
        "pprint <- socketTextStream + window + count + map",
    ]


def test_offsets_by_hand_are_calls_of_their_own() -> None:
    of = job(
        """
        from pyspark.streaming.kafka import KafkaUtils, TopicAndPartition
        offsets = {TopicAndPartition(t, p): n for t, p, n in load()}
        ranges = []
        def store(rdd):
            global ranges
            ranges = rdd.offsetRanges()
            return rdd
        stream = KafkaUtils.createDirectStream(ssc, topics, params, fromOffsets=offsets)
        stream.transform(store).foreachRDD(write)
        """
    )
    assert found(of) == [
        "5 TopicAndPartition.__init__",
        "11 KafkaUtils.createDirectStream",
        "12 DStream.transform",
        "12 DStream.foreachRDD",
    ]
    assert [c.in_batch for c in of.calls_of(Kind.RDD, "offsetRanges")] == ["transform"]


def test_results_in_a_driver_list_and_a_timed_stop() -> None:
    of = job(
        """
        results = []
        lines.count().foreachRDD(lambda rdd: results.extend(rdd.collect()))
        ssc.start()
        ssc.awaitTerminationOrTimeout(30)
        ssc.stop(stopSparkContext=False)
        plot(results)
        """
    )
    assert escapes(of) == []
    assert [c.after_start for c in of.calls_of(Kind.CONTEXT)][2:] == [False, True, True]


def test_a_static_rdd_that_is_rebound_later_is_no_stream() -> None:
    of = job(
        """
        table = sc.textFile(path)
        joined = lines.transform(lambda rdd: rdd.join(table))
        def refresh():
            global table
            table = sc.textFile(path)
        joined.foreachRDD(lambda rdd: refresh())
        """
    )
    assert operations(of) == ["transform", "foreachRDD"]
    assert escapes(of) == []


def test_a_queue_as_a_clock() -> None:
    of = job("clock = ssc.queueStream([], default=rdd)\nclock.foreachRDD(poll)\n")
    assert found(of) == ["4 StreamingContext.queueStream", "5 DStream.foreachRDD"]


def test_cartesian_of_two_streams() -> None:
    code = HEAD + "total = lines.count()\nlines.transformWith(lambda a, b: a.cartesian(b), total)\n"
    of = project(code)
    assert graph(of)[-1] == "transformWith <- socketTextStream + count"
    assert [c.in_batch for c in of.modules["job.py"].calls_of(Kind.RDD)] == ["transformWith"]


def test_the_same_job_moved_already_is_the_same_model() -> None:
    legacy = (
        "from pyspark.streaming import StreamingContext\n"
        "from pyspark.streaming.kafka import KafkaUtils\n"
        "ssc = StreamingContext(sc, 1)\n"
        "KafkaUtils.createDirectStream(ssc, t, p).map(f).pprint()\n"
    )
    moved = legacy.replace("pyspark.streaming", "dstream_compat")
    assert found(module(moved)) == found(module(legacy))
    assert [i.module for i in module(moved).imports] == ["dstream_compat", "dstream_compat.kafka"]


def test_a_try_around_building_hides_nothing() -> None:
    of = job(
        """
        try:
            words = lines.map(str)
            words.pprint()
        except Exception:
            pass
        else:
            words.count().pprint()
        finally:
            ssc.start()
        """
    )
    assert operations(of) == ["map", "pprint", "count", "pprint"]


def test_no_value_of_an_argument_is_in_the_model_but_in_its_nodes() -> None:
    of = module(
        """
        from pyspark.streaming.kinesis import KinesisUtils
        from pyspark.streaming import StreamingContext
        ssc = StreamingContext(sc, 1)
        KinesisUtils.createStream(ssc, "hunter2", awsSecretKey="hunter2", nonsense="hunter2")
        """
    )
    [call] = of.calls_of(Kind.UTILS)
    assert call.mismatch is not None
    assert "hunter2" not in call.mismatch
