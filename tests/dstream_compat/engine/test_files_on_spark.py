"""Streams of files on both engines: which files a batch takes, and what it makes of them.

Both run on a clock that stands at zero when the stream is made, so modification times decide.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark import SparkContext

from dstream_parity import Outcome, Seen
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from tests.dstream_compat.engine.hand_driven import by_hand, collected

Step = Callable[[Path], None]


def put(name: str, content: bytes, seconds: float) -> Step:
    """A file that appears whole, modified at a time of the manual clock."""

    def step(folder: Path) -> None:
        hidden = folder / f".{name}.part"
        hidden.write_bytes(content)
        os.utime(hidden, ns=(0, int(seconds * 1e9)))
        hidden.rename(folder / name)

    return step


def on_both_engines(
    sc: SparkContext,
    tmp_path: Path,
    steps: list[list[Step]],
    streams: Callable[[Any, str], list[Any]],
) -> list[list[Any]]:
    """What every output shows in every batch: its elements, sorted, and how many partitions.

    The steps of a batch are taken after the outputs of the one before it.
    """
    results = []
    for name, replay in (("legacy", replay_legacy), ("ours", replay_on_spark)):
        folder = tmp_path / name
        folder.mkdir()
        left = list(steps)

        def act(folder: Path = folder, left: list[list[Step]] = left) -> None:
            for step in left.pop(0) if left else ():
                step(folder)

        def build(ssc: Any, inputs: list[Any], folder: Path = folder, act: Any = act) -> list[Any]:
            outputs = streams(ssc, str(folder))
            act()
            # batches are taken apart by their last output, which comes after those of the streams
            for output in outputs:
                output.foreachRDD(lambda rdd: None)
            return [*outputs, inputs[0].transform(lambda rdd: rdd)]

        def last(ssc: Any, inputs: list[Any], build: Any = build, act: Any = act) -> list[Any]:
            outputs: list[Any] = build(ssc, inputs)
            outputs[0].foreachRDD(lambda rdd: act())
            return outputs

        replayed: Any = replay(last, [[[[]]]] * len(steps), sc=sc)
        results.append([[_shown(outcome) for outcome in output] for output in replayed])
    legacy, ours = results
    assert ours == legacy
    return ours


def _shown(outcome: Outcome) -> Any:
    if isinstance(outcome, Seen):
        return sorted(sum(outcome.partitions, ())), len(outcome.partitions)
    return outcome


def test_a_batch_takes_the_files_modified_since_the_stream_was_made_and_until_its_time(
    sc: SparkContext, tmp_path: Path
) -> None:
    steps = [
        [
            put("early", b"one\ntwo", 0.4),
            put("old", b"moved in\n", 0),
            put(".hidden", b"no\n", 0.5),
            put("later", b"waits\n", 2.5),
        ],
        [],
        [put("empty", b"", 2.2), put("blank", b"\n\n", 2.3)],
        [put("packed.gz", gzip.compress(b"three\r\nfour\n"), 3.5), put("early", b"again\n", 3.6)],
        [put("older-than-the-last", b"late\n", 0.7)],
    ]
    lines, counts = on_both_engines(
        sc,
        tmp_path,
        steps,
        lambda ssc, folder: [ssc.textFileStream(folder), ssc.textFileStream(folder).count()],
    )[:2]
    assert lines == [
        (["one", "two"], 1),
        ([], 0),
        (["", "", "waits"], lines[2][1]),
        (["four", "three"], 1),
        (["late"], 1),
    ]
    # nothing new: no partition, so nothing that could be counted
    assert [elements for elements, _ in counts] == [[2], [], [3], [2], [1]]


def test_what_comes_in_a_gap_between_windows_waits_for_the_next_one(
    sc: SparkContext, tmp_path: Path
) -> None:
    def streams(ssc: Any, folder: str) -> list[Any]:
        ssc.checkpoint(f"{folder}-checkpoint")
        beat = ssc.queueStream([[0]])
        queued, counted, reduced = (ssc.queueStream([[n] for n in range(8)]) for _ in range(3))
        return [
            beat,
            ssc.textFileStream(folder).window(1, 3),
            queued.window(1, 3),
            counted.countByWindow(2, 3),
            reduced.map(lambda n: (n, n)).reduceByKeyAndWindow(max, min, 1, 2).window(2, 6),
        ]

    steps = [[put(f"file-{n}", b"%d\n" % n, n + 0.5)] for n in range(7)]
    _, files, queued, counted, reduced, _ = on_both_engines(sc, tmp_path, steps, streams)
    assert [elements for elements, _ in (files[2], files[5])] == [["0", "1", "2"], ["3", "4", "5"]]
    assert [elements for elements, _ in (queued[2], queued[5])] == [[0], [1]]
    assert [elements for elements, _ in (counted[2], counted[5])] == [[2], [2]]
    assert reduced[5][0] == [(2, 2)]


def test_records_of_fixed_length_are_those_of_the_legacy_engine(
    sc: SparkContext, tmp_path: Path
) -> None:
    steps = [[put("a", b"aaaabbbb", 0.5)], [], [put("b", bytes(range(12)), 2.5)]]
    records = on_both_engines(
        sc, tmp_path, steps, lambda ssc, folder: [ssc.binaryRecordsStream(folder, 4)]
    )[0]
    assert records == [
        ([b"aaaa", b"bbbb"], 1),
        ([], 0),
        ([bytes(range(4)), bytes(range(4, 8)), bytes(range(8, 12))], 1),
    ]


def test_a_file_that_vanishes_or_does_not_fit_fails_its_own_batch_only(
    sc: SparkContext, tmp_path: Path
) -> None:
    with by_hand(sc) as job:
        seen = collected(job.ssc.textFileStream(str(tmp_path)))
        records = collected(job.ssc.binaryRecordsStream(str(tmp_path), 4))
        put("a", b"aaa\n", 0.5)(tmp_path)
        put("b", b"bbb\n", 1.5)(tmp_path)
        put("c", b"torn", 2.5)(tmp_path)
        put("d", b"torn record", 3.5)(tmp_path)
        job.ssc.start()
        assert job.ssc._engine is not None
        for source in job.ssc._engine.parts.sources.values():
            _take_then_delete(source, tmp_path / "b", at=2000)
        job.tick()
        job.tick(3)
    assert seen[0] == ["aaa"]
    assert "FileNotFoundError" in seen[1]
    assert "FileNotFoundError" in records[1]
    assert (seen[2], seen[3]) == (["torn"], ["torn record"])
    assert records[0] == [b"aaa\n"]
    assert records[2] == [b"torn"]
    assert "EOFException" in records[3] or "EOFError" in records[3]


def _take_then_delete(source: Any, path: Path, at: int) -> None:
    """Have a file deleted between its selection and its reading."""
    take = source.take

    def taking(tick: int) -> Any:
        batch = take(tick)
        if tick == at:
            # the other stream has still to select it
            source_is_last = source._record_length is not None
            if source_is_last:
                path.unlink()
        return batch

    source.take = taking


def test_a_directory_that_comes_later_or_goes_is_no_error(sc: SparkContext, tmp_path: Path) -> None:
    folder = tmp_path / "not-yet"
    with by_hand(sc) as job:
        seen = collected(job.ssc.textFileStream(str(folder)))
        job.ssc.start()
        job.tick()
        folder.mkdir()
        put("a", b"aaa\n", 1.5)(folder)
        job.tick()
        (folder / "a").unlink()
        folder.rmdir()
        job.tick()
        assert job.error() == ""
    assert seen == [[], ["aaa"], []]
