"""What docs/kafka.md shows, against a real broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark import SparkConf, SparkContext

from dstream_compat import StreamingContext
from dstream_compat.input.clock import CLOCK, ManualClock
from dstream_compat.offsets import main
from tests.docs.blocks import COMMANDS, of
from tests.docs.scenes import Scene, ticking
from tests.docs.shell import DESK, assert_shown
from tests.dstream_compat.connectors.kafka.conftest import Topics
from tests.dstream_compat.engine.hand_driven import LIMIT

SNIPPETS = [block for block in of("python") if block.setup == "a broker"]


@pytest.fixture
def scene(
    sc: SparkContext, topics: Topics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Scene:
    """The snippets, with a topic of their own for the one on the page."""
    monkeypatch.setitem(sc.__dict__, CLOCK, ManualClock())
    instead = {
        '["clicks"]': f'["{topics.create(partitions=2)}"]',
        "localhost:9092": topics.address,
        'SparkContext(appName="clicks")': "SparkContext.getOrCreate()",
        "ssc.awaitTermination()": "wait(ssc)",
        "SparkContext(conf=": "with_settings(",
    }
    return Scene(SNIPPETS, sc, tmp_path, monkeypatch, instead=instead)


def test_snippets_do_what_the_page_says(scene: Scene, topics: Topics) -> None:
    whole_job, connector, own_offsets = scene.blocks
    (topic,) = eval(scene.instead['["clicks"]'])

    def wait(ssc: StreamingContext) -> None:
        topics.send(topic, (None, "home"), partition=0)
        topics.send(topic, (None, "cart"), ("b", "home"), partition=1)
        assert ssc._engine is not None
        ssc._engine.tick_by_hand(1, LIMIT)
        ssc.stop(stopSparkContext=False)
        assert "\n3\n" in scene.printed()

    scene.names["wait"] = wait
    scene.run(whole_job)

    settings: list[SparkConf] = []
    scene.names["with_settings"] = settings.append
    scene.run(connector)
    assert ":spark-sql-kafka-0-10_2.13:" in settings[0].get("spark.jars.packages", "")

    run = scene.run(own_offsets)["run"]
    saved: list[Any] = []
    ssc = StreamingContext(scene.sc, 1)
    stored = [(topic, 0, 0), (topic, 1, 1)]
    run(ssc, topics.params, lambda: stored, lambda time, rows, ranges: saved.append((rows, ranges)))
    with ticking(ssc):
        pass
    assert saved == [(["home", "home"], [(topic, 0, 1), (topic, 1, 2)])]


def test_offsets_are_checked_as_the_page_says(topics: Topics, tmp_path: Path) -> None:
    (command,) = [c for c in COMMANDS if c.words[:3] == ["python", "-m", "dstream_compat.offsets"]]
    topics.create(partitions=2, name="clicks")
    topics.send("clicks", *[(None, "")] * 1300, partition=0)
    topics.send("clicks", *[(None, "")] * 1010, partition=1)
    topics.delete_records("clicks", 1, before=990)
    instead = {"kafka1:9092": topics.address, "zk.txt": str(DESK / "zk.txt")}
    instead["offsets.json"] = str(tmp_path / "offsets.json")
    ran = CliRunner().invoke(main, [instead.get(word, word) for word in command.words[3:]])
    assert_shown(command.shown, ran.output)
    assert ran.exit_code == 1
    assert list(tmp_path.iterdir()) == []
