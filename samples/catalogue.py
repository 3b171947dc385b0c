"""Which samples there are, their input, and what each is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LEGACY, MIGRATED, NEW, BATCHES = (ROOT / name for name in ("legacy", "migrated", "new", "batches"))


class Reference(Enum):
    """What a sample is compared with, worded for the verdict. Never our own engine."""

    LEGACY = "the job itself on the legacy engine"
    MODERNISED = "the modernised form of a Python 2 job, on the legacy engine"
    JVM = "mapWithState of the JVM's DStreams, with its function rewritten in Java"
    EXPECTED = "expected batches written by hand: no legacy engine has custom receivers in Python"


@dataclass(frozen=True)
class Sample:
    """A job and how to verify it. Values of ``arguments`` do not matter: sources are replaced."""

    path: Path
    arguments: tuple[str, ...] = ()
    reference: Reference = Reference.LEGACY
    run_outputs: bool = False
    shell: bool = False
    source: str | None = None
    """The source that gets the batches; None: whatever the job reads."""

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def twin(self) -> Path:
        return MIGRATED / self.path.name

    @property
    def batches(self) -> Path:
        """JSON lines, a batch per line; or a directory that also has the expected outputs."""
        recorded = BATCHES / self.name
        return recorded if recorded.is_dir() else BATCHES / f"{self.name}.jsonl"

    @property
    def input(self) -> str:
        """The batches, as an argument of ``migrate verify --input``."""
        return f"{self.source}={self.batches}" if self.source else str(self.batches)


_SOCKET = ("localhost", "9999")
_OPTIONS: dict[str, dict[str, object]] = {
    "clicks_to_database": {"arguments": (*_SOCKET, "clicks.db"), "run_outputs": True},
    "flight_delays": {"shell": True, "source": "queueStream", "run_outputs": True},
    "iot_priorities": {"arguments": _SOCKET, "run_outputs": True},
    "kafka_direct_offsets": {"arguments": ("kafka:9092", "words"), "run_outputs": True},
    "kafka_receiver_wordcount": {"arguments": ("zookeeper:2181", "counting", "words")},
    "kinesis_wordcount": {"arguments": ("app", "words", "endpoint", "region")},
    "log_levels": {"arguments": ("app.log",), "reference": Reference.EXPECTED},
    "mood_per_user": {"arguments": _SOCKET, "run_outputs": True},
    "mqtt_wordcount": {"arguments": ("tcp://mqtt:1883", "words")},
    "network_wordcount": {"arguments": _SOCKET},
    "python2_pageviews": {"arguments": _SOCKET, "reference": Reference.MODERNISED},
    "queue_wordcount": {"source": "0"},
    "recoverable_wordcount": {"arguments": (*_SOCKET, "checkpoint", "words.txt")},
    "sentiment_topn": {"arguments": _SOCKET, "run_outputs": True},
    "sessions": {"arguments": (*_SOCKET, "checkpoint"), "reference": Reference.JVM},
    "sql_per_batch": {"arguments": _SOCKET, "run_outputs": True},
    "stateful_wordcount": {"arguments": _SOCKET},
    "static_join_topn": {"source": "queueStream"},
    "textfile_wordcount": {"arguments": ("in", "out", "stop")},
    "windowed_hashtags": {"arguments": _SOCKET, "run_outputs": True},
}


def samples() -> list[Sample]:
    """Every job in ``legacy`` and ``new``."""
    found = [
        path
        for folder in (LEGACY, NEW)
        for path in sorted(folder.iterdir())
        if path.suffix in (".py", ".ipynb")
    ]
    return [Sample(path, **_OPTIONS.get(path.stem, {})) for path in found]  # type: ignore[arg-type]
