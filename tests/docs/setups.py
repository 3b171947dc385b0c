"""The surroundings in which snippets are run, by the name that the page uses.

A setup prepares names, runs the snippets, and checks what they have done. Snippets of a page with
the same setup run one after the other, and each sees the names of those before it.
"""

from __future__ import annotations

import importlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pyspark.cloudpickle import register_pickle_by_value, unregister_pickle_by_value

from dstream_compat import DStream, StreamingContext, record
from dstream_compat.graph.compiler import compile_graph
from dstream_compat.input.clock import CLOCK, ManualClock
from dstream_compat.stages.operators.narrow import NARROW
from dstream_parity import Seen, replay
from dstream_parity.verify.inputs import recording
from tests.docs.scenes import Scene, ticking, until
from tests.dstream_compat.engine.hand_driven import LIMIT

Setup = Callable[[Scene], None]


def as_it_is(scene: Scene) -> None:
    """For snippets without a setup."""
    scene.run_all()


def streams(scene: Scene) -> None:
    """A context that is not started. Whatever the snippets build on it must compile."""
    ssc = StreamingContext(scene.sc, 1)
    scene.names.update(ssc=ssc, lines=ssc.socketTextStream("localhost", 9999))
    known = set(scene.names)
    scene.run_all()
    made = [scene.names[name] for name in scene.names.keys() - known]
    for function in filter(callable, made):
        if getattr(function, "__module__", None) == "__main__":
            assert isinstance(function(ssc), DStream)
    compile_graph([*ssc._inputs, *(output.node for output in ssc._outputs)])


def own_process(scene: Scene) -> None:
    """A separate process, in which a job imports the legacy names after the snippet."""
    job = "\nimport pyspark.streaming\nassert pyspark.streaming.__name__ == 'dstream_compat'\n"
    for block in scene.blocks:
        subprocess.run([sys.executable, "-c", block.text + job], check=True, timeout=LIMIT)


def socket_job(scene: Scene) -> None:
    """A server that sends a line. The job ends when its words have been counted."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LIMIT)
        scene.instead = {
            'SparkContext("local[2]", "word count")': "SparkContext.getOrCreate()",
            "9999": str(server.getsockname()[1]),
            "ssc.awaitTermination()": "wait(ssc)",
        }

        def wait(ssc: StreamingContext) -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"to be or not to be\n")
                until(lambda: "('be', 2)" in scene.printed(), "the words are counted")
                ssc.stop(stopSparkContext=False, stopGraceFully=True)

        scene.names["wait"] = wait
        scene.run_all()


def receiver(scene: Scene) -> None:
    """Collects what the receiver stores, in place of a context."""
    scene.run_all()
    stored: list[Any] = []
    over = threading.Event()

    class Taken(scene.names["LineReceiver"]):  # type: ignore[misc]
        store = staticmethod(stored.append)

        def isStopped(self) -> bool:
            return False

        def restart(self, message: str, error: BaseException | None = None) -> None:
            stored.append(message)
            over.set()

    Taken(lambda: iter(["a", "b"])).onStart()
    assert over.wait(LIMIT)
    assert stored == ["a", "b", "the connection was closed"]


def handover(scene: Scene) -> None:
    """An old job and the moved one, which export their state after every batch."""

    def add_to_total(new_values: list[int], total: int | None) -> int:
        return sum(new_values) + (total or 0)

    for engine in ("legacy", "compat"):
        scene.instead = {"hdfs:///": f"{scene.folder}/{engine}/"}

        def build(ssc: Any, inputs: list[Any]) -> list[Any]:
            scene.names.update(pairs=inputs[0], add_to_total=add_to_total)
            return [scene.run(scene.blocks[0])["totals"]]

        replay(build, [[[[("a", 1), ("b", 1)]]], [[[("a", 1)]]]], engine, sc=scene.sc)  # type: ignore[arg-type]
        *_, last = sorted((scene.folder / engine / "handover").glob("totals-*"))
        assert (last / "_SUCCESS").exists()
        assert sorted(scene.sc.pickleFile(str(last)).collect()) == [("a", 2), ("b", 1)]


def tapped(scene: Scene) -> None:
    """An old job with record.py next to it. The recording is checked."""
    scene.instead = {"hdfs:///": f"{scene.folder}/"}
    shutil.copy(record.__file__, scene.folder)
    scene.patch.syspath_prepend(scene.folder)
    copied = importlib.import_module("record")
    register_pickle_by_value(copied)  # a job's own directory is on the path of its workers

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        counts = inputs[0].map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
        scene.names.update(lines=inputs[0], counts=counts)
        return [scene.run(scene.blocks[0])["counts"]]

    try:
        replay(build, [[[["a", "b"], ["a"]]], [[]]], "legacy", sc=scene.sc)
    finally:
        unregister_pickle_by_value(copied)
        del sys.modules["record"]
    (folder,) = scene.folder.glob("recordings/*")
    assert (folder / "lines/1000/part-00000").read_text(encoding="utf-8") == '"a"\n"b"\n'
    read = recording.read(str(folder))
    assert [stream.name for stream in (*read.inputs, *read.outputs)] == ["lines", "counts"]


def prelude(scene: Scene) -> None:
    """A module that is not installed. After the snippet, it can be imported."""
    scene.patch.setitem(sys.modules, "redis", None)
    scene.run_all()
    client = importlib.import_module("redis").StrictRedis(host="cache")
    client.set("a", 1)
    assert client.get("a") == 1


def one_example(scene: Scene) -> None:
    """One example of each kind, because each takes seconds."""
    for number in ("3", "2"):
        scene.instead[f"), {number}):"] = "), 1):"
    assert all(old in scene.blocks[0].text for old in scene.instead)
    scene.run_all()


def operator(scene: Scene) -> None:
    """The parts of an operator are put where the page says, and the operator is used."""
    scene.names.update(Any=Any, Iterable=Iterable, Iterator=Iterator)
    method, narrowing = scene.run_all()
    scene.patch.setattr(DStream, "keys", method["keys"], raising=False)
    scene.patch.setitem(NARROW, "keys", narrowing["keys"])

    def pipeline(ssc: Any, inputs: list[Any]) -> list[Any]:
        return [inputs[0].keys(), inputs[0].transform(lambda rdd: rdd).keys()]

    outcomes = replay(pipeline, [[[[("a", 1), ("b", 2)]]]], engine="in-process")
    assert outcomes == [[Seen((("a", "b"),))], [Seen((("a", "b"),))]]


def old_state(scene: Scene) -> None:
    """The checkpoint of a job whose code is then changed twice."""
    scene.sc.__dict__[CLOCK] = ManualClock()
    scene.instead = {"/data/": f"{scene.folder}/"}
    changed, renamed, metrics = scene.blocks

    def count(new: list[int], total: int | None) -> int:
        return sum(new) + (total or 0)

    def set_up(split: Callable[[str], list[str]] = str.split) -> StreamingContext:
        ssc = StreamingContext(scene.sc, 1)
        words = ssc.textFileStream(str(scene.folder / "in")).flatMap(split)
        words.map(lambda word: (word, 1)).updateStateByKey(count).foreachRDD(lambda rdd: None)
        return ssc

    file = scene.folder / "in" / "words.txt"
    file.parent.mkdir()
    file.write_text("to be or not to be", encoding="utf-8")
    os.utime(file, (1, 1))  # in the first batch
    scene.names.update(sc=scene.sc, StreamingContext=StreamingContext, count=count)
    scene.names["set_up"] = lambda: set_up(lambda line: line.lower().split())
    try:
        with ticking(StreamingContext.getOrCreate(str(scene.folder / "checkpoint"), set_up)):
            pass
        with ticking(scene.run(changed)["ssc"]) as ssc:
            assert [operator.keys for operator in ssc.state_metrics()] == [4]
        with ticking(scene.run(renamed)["ssc"]):
            scene.run(metrics)
            totals, recent = scene.printed().splitlines()
            assert totals.startswith("totals 4 ")
            assert recent.startswith("recent None ")
    finally:
        del scene.sc.__dict__[CLOCK]


SETUPS: dict[str | None, Setup] = {
    None: as_it_is,
    "streams": streams,
    "a process of its own": own_process,
    "a socket": socket_job,
    "a connection": receiver,
    "an old job": handover,
    "record": tapped,
    "no redis": prelude,
    "one example": one_example,
    "an operator": operator,
    "old state": old_state,
}
ELSEWHERE = {
    "the plugin": "tests/dstream_parity/test_plugin.py",
    "a broker": "tests/dstream_compat/connectors/kafka/test_docs.py",
}
"""Setups in other test files."""
