"""The Kafka samples, as they are, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.dstream_compat.connectors.kafka.conftest import Topics
from tests.servers import jars
from tests.servers.processes import wait_for

ROOT = Path(__file__).resolve().parents[4]


def test_the_samples_count_the_words_of_a_topic(topics: Topics, tmp_path: Path) -> None:
    """Both forms at once, each with all the words."""
    topic = topics.create(partitions=2)
    topics.send(topic, (None, "to be"), partition=0)
    topics.commit("counting", topic, [0, 0])
    connector = ",".join(jars.connector())
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYSPARK_SUBMIT_ARGS": f"--master local[2] --jars {connector} pyspark-shell",
        "DSTREAM_KAFKA_BROKERS": topics.address,
        "PYTHONUNBUFFERED": "1",
    }
    commands = {
        "kafka_direct_offsets.py": [topics.address, topic],
        "kafka_receiver_wordcount.py": ["zookeeper:2181", "counting", topic],
    }
    running = []
    try:
        for name, arguments in commands.items():
            script = str(ROOT / "samples" / "legacy" / name)
            command = [sys.executable, "-m", "dstream_compat", script, *arguments]
            with open(tmp_path / name, "wb") as log:
                running.append(
                    subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=tmp_path)
                )
        printed = {name: tmp_path / name for name in commands}
        for name, path in printed.items():
            wait_for(lambda path=path: "('be', 1)" in path.read_text(), name)  # type: ignore[misc]
        topics.send(topic, (None, "or not"), partition=1)
        for name, path in printed.items():
            wait_for(lambda path=path: "('not', 1)" in path.read_text(), name)  # type: ignore[misc]
        text = printed["kafka_direct_offsets.py"].read_text()
        assert f"{topic} 0: 0 to 1" in text
        assert f"{topic} 1: 0 to 1" in text
        assert all(text.count("('be', 1)") == 1 for text in map(Path.read_text, printed.values()))
    finally:
        for process in running:
            process.terminate()
            process.wait(30)
