"""The checkpoint directory: what a new context finds there, and what it leaves."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dstream_compat.base.errors import StreamingError
from dstream_compat.connectors.hadoop.hadoop_storage import storage_for
from dstream_compat.engine.carried_conf import carried_over
from dstream_compat.engine.checkpoint import Checkpoint
from dstream_compat.engine.restore import has_checkpoint, set_aside
from dstream_compat.input.log import LogEntry
from dstream_compat.input.storage import LocalStorage

JOB: Any = SimpleNamespace(  # as much of a request as is written down
    interval_ms=1000,
    remember_ms=None,
    inputs=(),
    outputs=(),
    sc=SimpleNamespace(_conf=SimpleNamespace(getAll=list)),
)


def contents(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()}


def test_zero_time_and_slots_are_kept_over_restarts(tmp_path: Path) -> None:
    first = Checkpoint(LocalStorage(tmp_path))
    assert (first.zero_time(4000), first.slots(2)) == (4000, 2)
    again = Checkpoint(LocalStorage(tmp_path))
    assert (again.zero_time(9000), again.slots(8)) == (4000, 2)


def test_a_new_context_sets_an_earlier_run_aside_and_keeps_one(tmp_path: Path) -> None:
    for run in ("one", "two", "three"):
        set_aside(LocalStorage(tmp_path))
        Checkpoint(LocalStorage(tmp_path)).zero_time(0)
        (tmp_path / "input").mkdir()
        (tmp_path / "input" / "000000000001").write_text(run)
    (previous,) = tmp_path.glob("previous-*")
    assert (previous / "input" / "000000000001").read_text() == "two"
    assert (tmp_path / "input" / "000000000001").read_text() == "three"


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    set_aside(LocalStorage(tmp_path))
    Checkpoint(LocalStorage(tmp_path)).slots(2)
    set_aside(LocalStorage(tmp_path))
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_directory_without_a_checkpoint_gives_nothing(tmp_path: Path) -> None:
    from dstream_compat import StreamingContext

    (tmp_path / "notes.txt").write_text("mine")
    assert StreamingContext._recover(str(tmp_path)) is None
    assert StreamingContext._recover(str(tmp_path / "missing")) is None
    assert contents(tmp_path) == {"notes.txt"}


def test_the_last_committed_entry_is_read_from_the_query(tmp_path: Path) -> None:
    checkpoint = Checkpoint(LocalStorage(tmp_path))
    assert checkpoint.committed() == 0
    for folder in ("commits", "offsets"):
        (tmp_path / "query" / folder).mkdir(parents=True)
    for batch, entry in ((0, 3), (1, 5), (2, 9)):
        (tmp_path / "query" / "offsets" / str(batch)).write_text(
            f'v1\n{{}}\n{{"entry": {entry}}}\n'
        )
    for batch in (0, 1):
        (tmp_path / "query" / "commits" / str(batch)).write_text("v1\n{}")
    assert checkpoint.committed() == 5


def committed(directory: Path, query: str, entry: int) -> None:
    for folder in ("commits", "offsets"):
        (directory / query / folder).mkdir(parents=True)
    (directory / query / "offsets" / "0").write_text(f'v1\n{{}}\n{{"entry": {entry}}}\n')
    (directory / query / "commits" / "0").write_text("v1\n{}")


def test_a_rebuild_continues_from_the_last_generation_that_committed(tmp_path: Path) -> None:
    def again() -> Checkpoint:
        return Checkpoint(LocalStorage(tmp_path))

    def rebuilt(operators: list[Any]) -> None:
        origin = again().origin or {"generation": None, "stores": 0, "operators": []}
        facts = {"operators": operators, "stores": 1}
        again().next_generation(JOB, {**origin, "found": {}}, **facts)

    again().describe(operators=[{"name": "x"}], stores=1)
    assert again().origin is None
    rebuilt([{"name": "y"}])
    assert again().origin is None
    committed(tmp_path, "query-1", 5)
    expected = {"generation": 1, "stores": 1, "operators": [{"name": "y"}]}
    for generation in (1, 2, 3):
        checkpoint = again()
        origin = checkpoint.origin
        assert origin is not None
        assert (checkpoint.generation, checkpoint.committed()) == (generation, 5)
        assert {key: origin[key] for key in expected} == expected
        rebuilt([{"name": "z"}])


def test_old_generations_stay_as_long_as_a_running_query_names_them(tmp_path: Path) -> None:
    def generations() -> list[str]:
        return sorted(path.name for path in tmp_path.glob("query*"))

    def rebuilt(checkpoint: Checkpoint) -> None:
        origin = checkpoint.origin
        assert origin is not None
        checkpoint.next_generation(JOB, {**origin, "found": {}}, operators=[], stores=1)

    Checkpoint(LocalStorage(tmp_path)).describe(operators=[], stores=1)
    committed(tmp_path, "query", 1)
    running = Checkpoint(LocalStorage(tmp_path))
    rebuilt(running)
    committed(tmp_path, "query-1", 2)
    running.drop_older()
    assert generations() == ["query", "query-1"]
    again = Checkpoint(LocalStorage(tmp_path))
    again.drop_older()
    assert generations() == ["query-1"]
    rebuilt(again)
    committed(tmp_path, "query-2", 3)
    once_more = Checkpoint(LocalStorage(tmp_path))
    rebuilt(once_more)  # what came before its origin is not needed any more
    assert generations() == ["query-2"]
    killed = Checkpoint(LocalStorage(tmp_path))  # before its first commit
    committed(tmp_path, "query-3", 4)
    killed.drop_older()
    assert generations() == ["query-2", "query-3"]


def test_a_file_uri_is_a_path(tmp_path: Path) -> None:
    storage = storage_for(f"file://{tmp_path}/check%20point")
    assert storage.path() == str(tmp_path / "check point")
    assert storage.is_local


FOREIGN = {
    "the legacy engine": ["checkpoint-1700000000000", "checkpoint-1700000000000.bk"],
    "a Structured Streaming query": ["metadata", "offsets/0", "commits/0"],
}


@pytest.mark.parametrize("whose", FOREIGN)
def test_the_checkpoint_of_another_program_is_refused_and_left_alone(
    whose: str, tmp_path: Path
) -> None:
    from dstream_compat import StreamingContext

    for name in FOREIGN[whose]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("theirs")
    before = contents(tmp_path)
    for look in (
        lambda: StreamingContext._recover(str(tmp_path)),
        lambda: has_checkpoint(str(tmp_path)),
        lambda: set_aside(LocalStorage(tmp_path)),
    ):
        with pytest.raises(StreamingError, match=rf"it holds .*{whose}.*use another directory"):
            look()
    assert contents(tmp_path) == before


def test_damage_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "000000000007").write_bytes(b"not a pickle")
    (tmp_path / "input" / ".000000000008.tmp").write_bytes(b"cut off")
    with pytest.raises(StreamingError, match=r"Failed to read checkpoint .*input/000000000007"):
        Checkpoint(LocalStorage(tmp_path)).read_log()
    (tmp_path / "query" / "commits").mkdir(parents=True)
    (tmp_path / "query" / "commits" / "3").write_text("v1")
    with pytest.raises(StreamingError, match=r"Failed to read checkpoint .*offsets/3 of the query"):
        Checkpoint(LocalStorage(tmp_path)).committed()
    (tmp_path / "dstream.json").write_text("{")
    with pytest.raises(StreamingError, match=r"Failed to read checkpoint .*dstream\.json"):
        Checkpoint(LocalStorage(tmp_path))
    assert "input/.000000000008.tmp" in contents(tmp_path)


def test_a_restored_job_runs_where_it_is_started_now_with_the_settings_of_its_first_run() -> None:
    saved = {
        "spark.master": "spark://old:7077",
        "spark.driver.host": "old",
        "spark.ui.port": "4041",
        "spark.yarn.app.id": "application_1",
        "spark.kerberos.keytab": "/old.keytab",
        "spark.executor.memory": "1g",
    }
    given = {
        "spark.master": "yarn",
        "spark.yarn.app.id": "application_2",
        "spark.executor.memory": "2g",
    }
    assert carried_over(saved, given, True) == {
        "spark.kerberos.keytab": "/old.keytab",
        "spark.executor.memory": "1g",
    }
    assert carried_over(saved, {}, False).keys() == saved.keys() - {
        "spark.driver.host",
        "spark.ui.port",
    }


def test_a_restored_job_keeps_its_master_where_none_is_named() -> None:
    saved, filled_in = {"spark.master": "yarn"}, {"spark.master": "local[*]"}
    assert carried_over(saved, filled_in, False) == saved
    assert carried_over(saved, filled_in, True) == {}


@pytest.mark.parametrize("missing", ["dstream.json", "graph-2"])
def test_a_run_that_lacks_a_file_is_refused_and_left_alone(missing: str, tmp_path: Path) -> None:
    from dstream_compat import StreamingContext

    (tmp_path / "dstream.json").write_text('{"format": 1, "generation": 2}')
    (tmp_path / "graph-2").write_bytes(b"pickled")
    committed(tmp_path, "query-2", 5)
    (tmp_path / missing).unlink()
    before = contents(tmp_path)
    looks = [
        lambda: StreamingContext._recover(str(tmp_path)),
        lambda: has_checkpoint(str(tmp_path)),
    ]
    if missing == "dstream.json":  # without its graph a run can still be set aside
        looks.append(lambda: set_aside(LocalStorage(tmp_path)))
    for look in looks:
        with pytest.raises(StreamingError, match=rf"Failed to read .*: {missing} is missing"):
            look()
    assert contents(tmp_path) == before


def test_a_start_that_never_got_to_a_batch_is_no_damage(tmp_path: Path) -> None:
    from dstream_compat import StreamingContext

    (tmp_path / "query" / "commits").mkdir(parents=True)
    assert StreamingContext._recover(str(tmp_path)) is None
    Checkpoint(LocalStorage(tmp_path)).slots(2)
    assert StreamingContext._recover(str(tmp_path)) is None


def test_a_log_that_ends_before_what_was_run_is_refused_and_left_alone(tmp_path: Path) -> None:
    log = Checkpoint(LocalStorage(tmp_path)).read_log()
    for tick in (1000, 2000, 3000):
        log.append(LogEntry(tick, 0, {}))
    committed(tmp_path, "query", 3)
    assert Checkpoint(LocalStorage(tmp_path)).read_log().last == 3
    (tmp_path / "input" / "000000000003").unlink()
    before = contents(tmp_path)
    with pytest.raises(
        StreamingError, match="input/ ends with entry 2, and the query has run entry 3"
    ):
        Checkpoint(LocalStorage(tmp_path)).read_log()
    assert contents(tmp_path) == before


def test_setting_aside_can_be_interrupted(tmp_path: Path) -> None:
    class Interrupted(LocalStorage):
        left = 2

        def rename(self, name: str, to: str) -> None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt
            super().rename(name, to)

    Checkpoint(LocalStorage(tmp_path)).slots(2)
    (tmp_path / "graph").write_bytes(b"pickled")
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "000000000001").write_text("entry")
    committed(tmp_path, "query", 1)
    with pytest.raises(KeyboardInterrupt):
        set_aside(Interrupted(tmp_path))
    set_aside(LocalStorage(tmp_path))
    assert [path.name[:9] for path in tmp_path.iterdir()] == ["previous-"]
