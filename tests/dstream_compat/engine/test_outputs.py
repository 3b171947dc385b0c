"""What outputs print, write and are handed: the same on the legacy engine and on ours."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from pyspark import RDD, SparkContext
from pyspark.sql import SparkSession

from dstream_parity import Batches, Outcomes
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine import by_hand, tick

LiveContext = Callable[[], SparkContext]

MIXED: Batches = [
    [[["one", "zwölf", ""], [b"bytes", 3, 2.5, None], [("a", [1])]]],
    [[[]]],
    [[]],
    [[["x\ny"], [], [{"k": 1}]]],
    [[list(range(6)), list(range(6, 11))]],
    [[list(range(10))]],
]
INTERVAL = 0.5  # every other batch is at a whole second
LIMIT = 240.0  # seconds for a batch; only a failing test waits so long


@dataclass
class Run:
    """What the outputs of a job did on one engine."""

    root: Path
    printed: str = ""
    times: list[Any] = field(default_factory=list)
    properties: list[Any] = field(default_factory=list)

    def build(self, ssc: Any, inputs: list[Any]) -> list[Any]:
        (stream,) = inputs
        stream.pprint()
        stream.pprint(0)
        stream.pprint(3)
        stream.map(lambda x: (x, "é")).pprint(num=8)
        stream.transform(lambda rdd: rdd.map(str)).pprint(1)
        written_before(self.root / "over-500")
        stream.saveAsTextFiles(f"{self.root}/plain")
        stream.saveAsTextFiles(f"{self.root}/with", "txt")
        stream.saveAsTextFiles(f"{self.root}/dot", "")
        stream.saveAsTextFiles(f"{self.root}/over")
        stream.transform(lambda rdd: rdd.map(repr)).saveAsTextFiles(f"{self.root}/transformed")
        stream.foreachRDD(lambda time, rdd: self.times.append(time))
        keys = ("spark.streaming.internal.batchTime", "spark.streaming.internal.outputOpId")
        for _ in range(2):
            stream.foreachRDD(
                lambda rdd: self.properties.append([rdd.context.getLocalProperty(k) for k in keys])
            )
        return []


def run(replay: Callable[..., Outcomes], sc: SparkContext, root: Path) -> Run:
    job = Run(root)
    with redirect_stdout(StringIO()) as printed:
        replay(job.build, MIXED, sc=sc, interval=INTERVAL, timeout=LIMIT)
    job.printed = printed.getvalue()
    return job


@pytest.fixture(scope="module")
def legacy(live_sc: LiveContext, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(replay_legacy, live_sc(), tmp_path_factory.mktemp("legacy"))


@pytest.fixture(scope="module")
def ours(live_sc: LiveContext, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return run(replay_on_spark, live_sc(), tmp_path_factory.mktemp("ours"))


def written_before(directory: Path) -> None:
    directory.mkdir(parents=True)
    for name in ("part-00000", "part-00009"):
        (directory / name).write_text("old")


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.endswith(".crc")
    }


# -- pprint ------------------------------------------------------------------------------------


def test_pprint_prints_the_legacy_text(legacy: Run, ours: Run) -> None:
    assert ours.printed == legacy.printed
    assert ours.printed.count("-" * 43 + "\nTime: ") == 5 * len(MIXED)
    assert "...\n" in ours.printed


# -- files -------------------------------------------------------------------------------------


def test_text_files_have_the_legacy_names_and_contents(legacy: Run, ours: Run) -> None:
    found, expected = tree(ours.root), tree(legacy.root)
    assert found.keys() == expected.keys()
    assert found == expected
    assert found["plain-500/part-00000"] == "one\nzwölf\n\n".encode()
    assert found["plain-500/part-00001"] == b"bytes\n3\n2.5\nNone\n"
    assert found["with-1000.txt/part-00000"] == b""
    assert "dot-1500./_SUCCESS" in found
    assert not any(name.startswith("plain-1500/part") for name in found)
    assert found["over-500/part-00000"] == found["plain-500/part-00000"]
    assert found["over-500/part-00009"] == b"old"


def test_pickle_files_can_be_read_back(sc: SparkContext, tmp_path: Path) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        inputs[0].saveAsPickleFiles(f"{tmp_path}/plain")
        inputs[0].saveAsPickleFiles(f"{tmp_path}/with", "pickle")
        return []

    written_before(tmp_path / "plain-1000")
    batches = MIXED[:4]
    replay_on_spark(build, batches, sc=sc)
    expected = [[x for partition in tick[0] for x in partition] for tick in batches]
    (tmp_path / "plain-1000" / "part-00009").unlink()
    for number, elements in enumerate(expected, 1):
        for name in (f"plain-{number}000", f"with-{number}000.pickle"):
            assert (tmp_path / name / "_SUCCESS").exists()
            if list((tmp_path / name).glob("part-*")):
                found = sc.pickleFile(str(tmp_path / name)).collect()
                assert sorted(map(repr, found)) == sorted(map(repr, elements))
            else:
                assert elements == []


def test_saving_over_a_directory_is_allowed_in_outputs_only(
    sc: SparkContext, tmp_path: Path
) -> None:
    target = str(tmp_path / "target")
    sc.parallelize(["old"], 1).saveAsTextFile(target)
    inside, tried_outside = threading.Event(), threading.Event()

    def output(rdd: Any) -> None:
        rdd.saveAsTextFile(target)
        inside.set()
        assert tried_outside.wait(60)

    with by_hand(sc) as ssc:
        ssc.queueStream([["new"]]).foreachRDD(output)
        ssc.start()
        batch = threading.Thread(target=tick, args=(ssc,))
        batch.start()
        assert inside.wait(60)
        with pytest.raises(Exception, match="already exists"):
            sc.parallelize(["mine"], 1).saveAsTextFile(target)
        tried_outside.set()
        batch.join(60)
        assert ssc.awaitTerminationOrTimeout(0) is False
    assert "new\n" in {path.read_text() for path in (tmp_path / "target").glob("part-*")}


# -- what foreachRDD is handed -----------------------------------------------------------------


def test_batch_times_are_naive_local_datetimes(legacy: Run, ours: Run) -> None:
    assert ours.times == legacy.times
    assert ours.times == [datetime.fromtimestamp(n / 2) for n in (1, 2, 3, 4, 5, 6)]
    assert all(type(time) is datetime and time.tzinfo is None for time in ours.times)


def test_a_return_value_of_an_output_does_no_harm(sc: SparkContext) -> None:
    """The legacy engine fails the job afterwards; its side effects are done anyway."""
    seen: list[int] = []

    def count(rdd: Any) -> int:
        seen.append(rdd.count())
        return 1

    with by_hand(sc) as ssc:
        ssc.queueStream([[1, 2]]).foreachRDD(count)
        ssc.start()
        tick(ssc)
        assert ssc.awaitTerminationOrTimeout(0) is False
    assert seen == [2]


def test_local_properties_name_the_batch_and_the_output(legacy: Run, ours: Run) -> None:
    assert ours.properties == legacy.properties
    assert ours.properties[:4] == [["500", "11"], ["500", "12"], ["1000", "11"], ["1000", "12"]]


Probe = Callable[[Any], Any]
PAIRS: Batches = [
    [[[("b", 2), ("a", 1)], [("a", 3)], []]],
    [[[]]],
    [[]],
]

# Each must give the same on both engines; what is not ordered is sorted.
PROBES: dict[str, Probe] = {
    "collect": lambda r: r.collect(),
    "count": lambda r: r.count(),
    "take": lambda r: [r.take(n) for n in (0, 1, 2, 9)],
    "first": lambda r: r.first(),
    "isEmpty": lambda r: r.isEmpty(),
    "bool": lambda r: bool(r),
    "getNumPartitions": lambda r: r.getNumPartitions(),
    "glom": lambda r: r.glom().collect(),
    "map": lambda r: r.map(lambda kv: kv[1]).collect(),
    "mapPartitionsWithIndex": lambda r: r.mapPartitionsWithIndex(
        lambda i, it: [(i, list(it))]
    ).collect(),
    "reduceByKey": lambda r: sorted(r.reduceByKey(lambda a, b: a + b).collect()),
    "groupByKey": lambda r: sorted((k, sorted(v)) for k, v in r.groupByKey().collect()),
    "union": lambda r: r.union(r.context.parallelize([("z", 9)], 1)).glom().collect(),
    "union from the left": lambda r: r.context.parallelize([("z", 9)], 1).union(r).collect(),
    "sc.union": lambda r: r.context.union([r, r]).collect(),
    "zipWithIndex": lambda r: r.zipWithIndex().collect(),
    "zip": lambda r: r.zip(r).collect(),
    "sortByKey": lambda r: [kv[0] for kv in r.sortByKey().collect()],
    "sortBy": lambda r: r.sortBy(lambda kv: kv[1]).collect(),
    "cartesian": lambda r: sorted(r.cartesian(r).collect()),
    "join": lambda r: sorted(r.join(r).collect()),
    "distinct": lambda r: sorted(r.distinct().collect()),
    "countByKey": lambda r: dict(r.countByKey()),
    "countByValue": lambda r: dict(r.countByValue()),
    "collectAsMap": lambda r: r.collectAsMap(),
    "lookup": lambda r: r.lookup("a"),
    "reduce": lambda r: r.values().reduce(lambda a, b: a + b),
    "takeOrdered": lambda r: r.takeOrdered(2),
    "aggregate": lambda r: r.aggregate(0, lambda n, kv: n + 1, lambda a, b: a + b),
    "toLocalIterator": lambda r: list(r.toLocalIterator()),
    "repartition": lambda r: r.repartition(3).getNumPartitions(),
    "coalesce": lambda r: r.coalesce(1).collect(),
    "cache": lambda r: (r.cache() is r, r.is_cached, r.count(), r.unpersist() is r),
    "pickle of a function over it": lambda r: r.filter(lambda kv: kv[1] > 1).keys().collect(),
    "foreachPartition": lambda r: r.foreachPartition(lambda it: list(it) and None),
    "toDF": lambda r: r.toDF("k string, n int").collect(),
    "createDataFrame": lambda r: _session().createDataFrame(r, ["k", "n"]).count(),
    "context": lambda r: r.context is SparkContext._active_spark_context,
    "id": lambda r: type(r.id()),
    "is an RDD": lambda r: isinstance(r, RDD),
    "setName": lambda r: r.setName("batch").name(),
    "name": lambda r: r.map(str).name(),
    "pipe": lambda r: r.map(lambda kv: kv[0]).pipe("cat").collect(),
    "getStorageLevel": lambda r: str(r.getStorageLevel()),
    "localCheckpoint": lambda r: r.map(str).localCheckpoint(),
}


def _session() -> SparkSession:
    return SparkSession.builder.getOrCreate()


def tried(probe: Probe, rdd: Any) -> str:
    try:
        return repr(probe(rdd))
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"


def test_rdds_handed_out_do_what_rdds_do(sc: SparkContext, tmp_path: Path) -> None:
    _session()  # RDDs have toDF once there is a session
    results: dict[str, dict[tuple[str, int], str]] = {"legacy": {}, "ours": {}}

    for engine, replay in (("legacy", replay_legacy), ("ours", replay_on_spark)):

        def build(ssc: Any, inputs: list[Any], engine: str = engine) -> list[Any]:
            def output(time: datetime, rdd: Any) -> None:
                tick = round(time.timestamp())
                for name, probe in PROBES.items():
                    results[engine][name, tick] = tried(probe, rdd)
                rdd.saveAsTextFile(f"{tmp_path}/{engine}/text-{tick}")
                results[engine]["pickle file", tick] = tried(
                    lambda r: r.saveAsPickleFile(f"{tmp_path}/{engine}/pickle-{tick}"), rdd
                )

            inputs[0].foreachRDD(output)
            return []

        replay(build, PAIRS, sc=sc, timeout=LIMIT)
    different = {
        key: (results["legacy"][key], ours)
        for key, ours in results["ours"].items()
        if ours != results["legacy"][key]
    }
    assert different == {}
    assert len(results["ours"]) == (len(PROBES) + 1) * len(PAIRS)
    assert results["ours"]["bool", 3] == "True"
    text = {name: data for name, data in tree(tmp_path / "ours").items() if "text-" in name}
    assert text == {n: d for n, d in tree(tmp_path / "legacy").items() if "text-" in n}
