"""What production gave as the reference: which batches count, and which are unknown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dstream_parity import Seen
from dstream_parity.verify.child.facets import ERROR, RDD, TIME, Facet, Observations, OutputOp
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs import recording
from dstream_parity.verify.inputs.feeds import read_feed
from dstream_parity.verify.judging.recorded import judge_recorded
from dstream_parity.verify.judging.verdict import BatchMark, Rules, Verdict, VerdictKind

Streams = dict[str, dict[int, list[Any]]]


def recorded(directory: Path, inputs: Streams, outputs: Streams, failed: Sequence[int] = ()) -> str:
    """A recording of these batches, one partition each."""
    streams = []
    for role, named in (("input", inputs), ("output", outputs)):
        for number, (name, batches) in enumerate(named.items()):
            about = {"name": name, "role": role, "number": number}
            streams.append({**about, "failed": list(failed) if role == "output" else []})
            for time, elements in batches.items():
                (directory / name / str(time)).mkdir(parents=True)
                lines = "".join(json.dumps(element) + "\n" for element in elements)
                (directory / name / str(time) / "part-00000").write_text(lines)
    versions = {"format": 1, "spark": "2.4.8", "python": "2.7.18", "batch_ms": 1000}
    (directory / "recording.json").write_text(json.dumps({**versions, "streams": streams}))
    return str(directory)


def gave(*batches: list[Any] | None, planned: int | None = None) -> Observations:
    """What ours was seen to do at 1 s, 2 s …; None: not called."""
    column = [
        []
        if batch is None
        else [
            Facet(RDD, Seen((tuple(batch),))),
            Facet(TIME, Seen(((datetime.fromtimestamp(at + 1),),))),
            Facet(ERROR, Seen(((),))),  # of a body that ran; recordings have nothing about bodies
        ]
        for at, batch in enumerate(batches)
    ]
    times = [1000 * (at + 1) for at in range(len(batches))]
    op = OutputOp(0, "pprint", "job.py", 7, "counts")
    return Observations([op], times, [], [column], planned=planned or len(batches))


def verdict_on(path: str, ours: Observations) -> Verdict:
    return judge_recorded(recording.read(path), ours, Rules(partitions=False))


def test_batches_end_where_an_input_ends_since_slower_outputs_are_recorded_for_longer(
    tmp_path: Path,
) -> None:
    lines = {1000: ["a"], 2000: ["b"], 3000: ["c"]}
    counts = {time: [time] for time in (2000, 4000, 6000)}
    path = recorded(tmp_path, {"lines": lines}, {"counts": counts})
    feed = read_feed([path], None, trust=False)
    assert (feed.times, feed.count, feed.notes) == ((1000, 2000, 3000), 3, ())
    verdict = verdict_on(path, gave(None, [2000], None))
    assert verdict.kind is VerdictKind.EQUAL
    assert verdict.outputs[0].cells == (BatchMark.NOT_RUN, BatchMark.EQUAL, BatchMark.NOT_RUN)


def test_a_batch_that_was_not_recorded_to_its_end_is_not_claimed(tmp_path: Path) -> None:
    lines = {1000: ["a"], 2000: ["b"]}
    path = recorded(tmp_path, {"lines": lines}, {"counts": {1000: [1]}})
    verdict = verdict_on(path, gave([1], [2]))
    assert verdict.kind is VerdictKind.EQUAL
    assert verdict.outputs[0].cells == (BatchMark.EQUAL, BatchMark.UNSTABLE)
    assert verdict.outputs[0].notes == ("1 batch not recorded, and not claimed",)
    assert verdict_on(path, gave([3], [2])).kind is VerdictKind.DIFFERENT


def test_a_batch_that_failed_in_production_is_not_claimed(tmp_path: Path) -> None:
    lines = {time: ["a"] for time in (1000, 2000, 3000)}
    path = recorded(tmp_path, {"lines": lines}, {"counts": {1000: [1], 3000: [3]}}, failed=[2000])
    verdict = verdict_on(path, gave([1], [2], [3]))
    assert verdict.outputs[0].cells == (BatchMark.EQUAL, BatchMark.UNSTABLE, BatchMark.EQUAL)


def test_a_directory_that_was_not_written_to_its_end_is_no_batch(tmp_path: Path) -> None:
    batches = {time: [time] for time in (1000, 2000, 3000)}
    path = recorded(tmp_path, {"lines": batches}, {})
    for time in (1000, 2000):
        (tmp_path / "lines" / str(time) / "_SUCCESS").touch()
    (tmp_path / "lines" / "2000" / "_temporary").mkdir()
    (lines,) = recording.read(path).inputs
    assert lines.batches == {1000: [[1000]]}


def test_a_batch_of_which_no_stream_was_recorded_is_not_claimed(tmp_path: Path) -> None:
    batches = {1000: [1], 3000: [3]}
    path = recorded(tmp_path, {"lines": batches}, {"counts": batches})
    verdict = verdict_on(path, gave([1], [2], [3]))
    assert verdict.outputs[0].cells == (BatchMark.EQUAL, BatchMark.UNSTABLE, BatchMark.EQUAL)
    (note,) = read_feed([path], None, trust=False).notes
    assert note.startswith("1 of 3 batches of the recorded stream lines are missing")


def test_an_output_that_is_called_where_it_was_not_in_production_differs(tmp_path: Path) -> None:
    lines = {time: ["a"] for time in (1000, 2000, 3000)}
    path = recorded(tmp_path, {"lines": lines}, {"counts": {1000: [1], 3000: [3]}})
    assert verdict_on(path, gave([1], None, [3])).kind is VerdictKind.EQUAL
    assert verdict_on(path, gave([1], [], [3])).kind is VerdictKind.DIFFERENT
    assert verdict_on(path, gave([1], None, None)).kind is VerdictKind.DIFFERENT


def test_a_job_that_stops_before_production_did_differs(tmp_path: Path) -> None:
    batches = {1000: [1], 2000: [2]}
    path = recorded(tmp_path, {"lines": batches}, {"counts": batches})
    assert verdict_on(path, gave([1], planned=2)).kind is VerdictKind.DIFFERENT


def test_outputs_alone_will_do_for_a_job_that_makes_its_own_batches(tmp_path: Path) -> None:
    path = recorded(tmp_path, {}, {"counts": {1000: [1], 2000: [2]}})
    assert read_feed([path], None, trust=False).inputs == ()
    assert verdict_on(path, gave([1], [2])).kind is VerdictKind.EQUAL


def test_an_input_of_which_nothing_was_recorded_is_refused(tmp_path: Path) -> None:
    path = recorded(tmp_path, {"lines": {}}, {"counts": {1000: [1]}})
    with pytest.raises(Refused, match="the recording has no batches of its input lines"):
        read_feed([path], None, trust=False)


def test_one_stream_of_a_recording_can_be_given_to_a_source(tmp_path: Path) -> None:
    path = recorded(tmp_path, {"a": {1000: ["A"], 2000: []}, "b": {1000: ["B"]}}, {})
    feed = read_feed([f"1={path}/a", f"0={path}/b"], None, trust=False)
    assert [(given.names, given.stream) for given in feed.inputs] == [(("1",), "a"), (("0",), "b")]
    assert [given.batches for given in feed.inputs] == [([["A"]],), ([["B"]],)]
    (tmp_path / "other").mkdir()
    with pytest.raises(Refused, match="no input stream called other was recorded"):
        read_feed([f"0={path}/other"], None, trust=False)


def test_a_recorded_input_is_known_by_its_topics_and_those_of_its_offset_ranges(
    tmp_path: Path,
) -> None:
    path = recorded(tmp_path, {"lines": {1000: ["a"]}}, {})
    about = json.loads((tmp_path / "recording.json").read_text())
    about["streams"][0].update(topics=["told"], offsets={"1000": [["clicks", 0, 3, 4]]})
    (tmp_path / "recording.json").write_text(json.dumps(about))
    (given,) = read_feed([path], None, trust=False).inputs
    assert (given.names, given.stream, given.topics) == ((), "lines", {"told", "clicks"})
