"""record.py on the legacy engine, and what it recorded compared with ours."""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext

from dstream_compat import record
from dstream_compat.connectors.kafka.handover import Found, from_recording
from dstream_compat.stages.kafka_messages import OffsetRange
from dstream_parity.engines.legacy import replay_legacy
from dstream_parity.engines.on_spark import replay_on_spark
from dstream_parity.verify.inputs import recording
from dstream_parity.verify.judging.verdict import BatchMark, VerdictKind
from dstream_parity.verify.report.as_text import as_text
from tests.dstream_parity.verify.conftest import JOBS, Verify
from tests.dstream_parity.verify.jobs import recorded_job

BATCHES: list[list[list[list[Any]]]] = [
    [[["a b a"], ["c"]]],
    [[]],
    [[["b"], ["b b"]]],
    [[["beyond the limit"]]],
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, live_sc: Any) -> str:
    directory = str(tmp_path_factory.mktemp("recorded") / "recording")
    replay_legacy(
        lambda ssc, inputs: recorded_job.build(ssc, inputs[0], directory), BATCHES, sc=live_sc()
    )
    return directory


def test_inputs_and_outputs_are_written_by_batch_and_partition_up_to_the_limit(
    recorded: str, sc: SparkContext
) -> None:
    read = recording.read(recorded)
    assert (read.spark, read.batch_ms) == (sc.version, 1000)
    assert read.times == (1000, 2000, 3000)
    (lines,) = read.inputs
    assert lines.batches == {1000: [["a b a"], ["c"]], 2000: [], 3000: [["b"], ["b b"]]}
    counts, grouped = read.outputs
    assert (counts.name, grouped.name) == ("counts", "grouped")
    assert sorted(e for part in counts.batches[1000] for e in part) == [
        ("a", 2),
        ("b", 1),
        ("c", 1),
    ]
    assert not lines.masked


def test_a_job_is_recorded_alike_on_our_engine(
    recorded: str, sc: SparkContext, tmp_path: Path
) -> None:
    """Its workers have the modules we send them, and no others of this package."""
    directory = str(tmp_path / "recording")
    replay_on_spark(lambda ssc, i: recorded_job.build(ssc, i[0], directory), BATCHES, sc=sc)
    ours, legacy = recording.read(directory), recording.read(recorded)
    assert ours.times == legacy.times
    assert [stream.name for stream in ours.outputs] == ["counts", "grouped"]
    assert ours.inputs[0].batches == legacy.inputs[0].batches
    assert ours.outputs[0].batches == legacy.outputs[0].batches


def test_ours_is_compared_with_what_was_recorded_by_name(recorded: str, on_both: Verify) -> None:
    outcome = on_both("recorded_job.py", inputs=(recorded,), against="recorded")
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.times == (1000, 2000, 3000)
    assert outcome.reference.startswith("what was recorded with Spark ")
    assert [str(o.output.name) for o in outcome.verdict.outputs] == ["grouped", "counts"]


def test_a_recording_is_an_input_for_both_engines_with_its_batch_times(
    recorded: str, on_both: Verify
) -> None:
    outcome = on_both("recorded_job.py", inputs=(recorded,))
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert outcome.verdict.times == (1000, 2000, 3000)


def test_what_production_gave_differently_is_found(
    recorded: str, on_both: Verify, tmp_path: Path
) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(recorded, changed)
    for part in (changed / "counts" / "3000").glob("part-*"):
        part.write_text(part.read_text().replace('["b",3]', '["b",4]'))
    outcome = on_both("recorded_job.py", inputs=(str(changed),), against="recorded")
    assert outcome.verdict.kind is VerdictKind.DIFFERENT
    assert outcome.verdict.why == "pprint at recorded_job.py:21: the RDD differs in batch 3"


def test_masked_recordings_are_not_claimed(recorded: str, on_both: Verify, tmp_path: Path) -> None:
    masked = tmp_path / "masked"
    shutil.copytree(recorded, masked)
    about = json.loads((masked / "recording.json").read_text())
    about["streams"][0]["masked"] = True
    (masked / "recording.json").write_text(json.dumps(about))
    outcome = on_both("recorded_job.py", inputs=(str(masked),), against="recorded")
    assert outcome.verdict.kind is VerdictKind.NOT_COMPARED
    assert "the recorded stream lines is masked" in outcome.verdict.why


OLD = Path(__file__).parent / "recordings" / "spark_2_4_8_python_2_7_18"


@pytest.fixture
def old_job(tmp_path: Path) -> Path:
    """The Python 2 job that the recording was made with, and record.py next to it."""
    job = tmp_path / "python2_visits.py"
    shutil.copy(JOBS / job.name, job)
    shutil.copy(record.__file__, tmp_path)
    return job


def test_a_python_2_job_is_compared_with_what_it_gave_on_spark_2_4(
    old_job: Path, on_both: Verify
) -> None:
    """Recorded by the job itself with pyspark 2.4.8, Python 2.7.18 and Java 8."""
    outcome = on_both(str(old_job), "host", "1", "out", inputs=(str(OLD),), against="recorded")
    assert outcome.reference == "what was recorded with Spark 2.4.8, Python 2.7.18"
    assert outcome.verdict.kind is VerdictKind.DIFFERENT
    # In Python 2 the division drops the rest. The modernised form alone could not have shown it.
    assert outcome.verdict.why == (
        f"foreachRDD at python2_visits.py:{line_of(old_job, '.foreachRDD(')}: the RDD differs in "
        "batch 2"
    )
    assert f"python2_visits.py:{line_of(old_job, 'seconds / count')} (DS701)" in as_text(outcome)
    totals, averages, recent, pages, users = outcome.verdict.outputs
    assert averages.difference is not None
    assert "tuple(str, int)" in averages.difference.expected
    assert "tuple(str, float)" in averages.difference.actual
    assert [o.difference for o in (totals, recent, pages)] == [None] * 3
    assert users.unstable is not None
    assert "the recorded stream users is masked" in users.unstable


def line_of(job: Path, text: str) -> int:
    return next(n for n, line in enumerate(job.read_text().splitlines(), 1) if text in line)


def test_with_the_division_mended_it_is_equal_to_what_it_gave_on_spark_2_4(
    old_job: Path, on_both: Verify
) -> None:
    old_job.write_text(old_job.read_text().replace("seconds / count", "seconds // count"))
    outcome = on_both(str(old_job), "host", "1", "out", inputs=(str(OLD),), against="recorded")
    assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    assert [bool(o.elements) for o in outcome.verdict.outputs] == [True] * 4 + [False]
    assert outcome.verdict.outputs[0].cells == (BatchMark.EQUAL,) * 6


def write_batch(directory: Path, *elements: Any) -> None:
    directory.mkdir(parents=True)
    (directory / "part-00000").write_text("".join(record.dumps(e) + "\n" for e in elements))


def test_elements_of_a_module_beside_the_job_are_replayed_and_compared(
    on_both: Verify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as beside_the_job:
        beside_the_job.syspath_prepend(str(JOBS))
        beside_the_job.delitem(sys.modules, "models", raising=False)
        models = importlib.import_module("models")
        clicks = models.Click("ada"), models.Click("bob")
        write_batch(tmp_path / "clicks" / "1000", *clicks)
        write_batch(tmp_path / "all" / "1000", *clicks)
        another = record.dumps(models.Click("eve"))
        write_batch(tmp_path / "visits" / "1000", *(models.Visit(c.user, 1) for c in clicks))
        del sys.modules["models"]
    streams = [("clicks", "input", 0), ("all", "output", 0), ("visits", "output", 1)]
    about = {
        **{"format": 1, "spark": "2.4.8", "python": "3.7.16", "batch_ms": 1000},
        "streams": [{"name": name, "role": role, "number": n} for name, role, n in streams],
    }
    (tmp_path / "recording.json").write_text(json.dumps(about))
    options: dict[str, Any] = {"inputs": (str(tmp_path),), "trust": True}
    try:
        outcome = on_both("clicks.py", against="recorded", **options)
        assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
        assert [output.elements for output in outcome.verdict.outputs] == [2, 2]
        (tmp_path / "all" / "1000" / "part-00000").write_text(f"{another}\n")
        outcome = on_both("clicks.py", against="recorded", **options)
        assert outcome.verdict.why == "pprint at clicks.py:9: the RDD differs in batch 1"
        outcome = on_both("clicks.py", **options)
        assert outcome.verdict.kind is VerdictKind.EQUAL, as_text(outcome)
    finally:
        sys.modules.pop("models", None)


class WithOffsets:
    """A stream whose RDDs know their offset ranges, as those of Kafka do."""

    def __init__(self, stream: Any, per_batch: int = 0) -> None:
        self._stream = stream
        self._per_batch = per_batch
        self._sc = stream._sc
        self.context = stream.context

    def foreachRDD(self, function: Any) -> None:
        seen: list[Any] = []

        def call(moment: Any, rdd: Any) -> None:
            more = self._per_batch * len(seen)
            seen.append(moment)
            rdd.offsetRanges = lambda: [OffsetRange("clicks", 0, 3 + more, 5 + more)]
            function(moment, rdd)

        self._stream.foreachRDD(call)


def test_offset_ranges_are_recorded_by_batch(sc: SparkContext, tmp_path: Path) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        made = record.Recording(str(tmp_path / "recording"))
        made.input("clicks", WithOffsets(inputs[0]), source="kafka", topics=["clicks"])
        return [inputs[0]]

    replay_legacy(build, BATCHES[:2], sc=sc)
    (clicks,) = recording.read(str(tmp_path / "recording")).inputs
    assert clicks.topics == ("clicks",)
    assert clicks.offsets == {1000: (("clicks", 0, 3, 5),), 2000: (("clicks", 0, 3, 5),)}


@pytest.mark.parametrize("why", ["limit", "given up"])
def test_what_was_read_is_written_down_also_when_the_recording_has_ended(
    sc: SparkContext, tmp_path: Path, why: str
) -> None:
    directory = tmp_path / "recording"
    if why == "given up":  # no batch of it can be written
        directory.mkdir()
        (directory / "clicks").write_text("a file where a directory should be")

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        made = record.Recording(str(directory), limit=1 if why == "limit" else 100)
        made.input("clicks", WithOffsets(inputs[0], per_batch=2), source="kafka")
        made.input("others", inputs[0])
        return [inputs[0]]

    batches = BATCHES[:1] * 5
    replay_legacy(build, batches, sc=sc)
    assert from_recording(str(directory)) == Found({("clicks", 0): 5 + 2 * 4}, batch=5000)
    clicks, others = recording.read(str(directory)).inputs
    assert len(clicks.offsets) == (1 if why == "limit" else 3)
    assert len(others.batches) == (1 if why == "limit" else 5)


def test_masks_are_applied_and_trouble_with_the_directory_does_not_fail_the_job(
    sc: SparkContext, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a directory should be")

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        masked = record.Recording(str(tmp_path / "masked"), mask=len)
        masked.input("lines", inputs[0])
        record.Recording(str(blocked)).input("lines", inputs[0])
        return [inputs[0]]

    seen = replay_legacy(build, BATCHES[:2], sc=sc)
    assert [type(outcome).__name__ for outcome in seen[0]] == ["Seen", "Seen"]
    (lines,) = recording.read(str(tmp_path / "masked")).inputs
    assert lines.masked
    assert lines.batches[1000] == [[5], [1]]
    assert capfd.readouterr().err.count("record: could not record a batch of the stream lines") == 1


def test_a_second_run_does_not_record_into_the_directory_of_the_first(
    sc: SparkContext, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    directory = str(tmp_path / "recording")

    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        recording = record.Recording(directory)
        recording.input("lines", inputs[0])
        recording.output("same", inputs[0])
        return [inputs[0]]

    replay_legacy(build, BATCHES[:1], sc=sc)
    replay_legacy(build, BATCHES[:3], sc=sc)
    assert [list(stream.batches) for stream in recording.read(directory).streams] == [[1000]] * 2
    assert capfd.readouterr().err.count("holds the recording of another run") == 1


def test_a_batch_that_fails_is_left_out_and_recording_goes_on(
    sc: SparkContext, tmp_path: Path
) -> None:
    def build(ssc: Any, inputs: list[Any]) -> list[Any]:
        lines = inputs[0].map(lambda line: 1 // int(line))
        record.Recording(str(tmp_path / "recording")).output("lines", lines)
        return [inputs[0]]

    replay_legacy(build, [[[["0"]]], [[["1"]]]], sc=sc)
    (lines,) = recording.read(str(tmp_path / "recording")).outputs
    assert (lines.batches, lines.failed) == ({2000: [[1]]}, {1000})
