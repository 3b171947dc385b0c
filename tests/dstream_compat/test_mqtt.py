"""MQTTUtils against a real Mosquitto: quality of service 1, and a broker that restarts."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import pytest
from pyspark import SparkContext

from dstream_compat import StreamingContext
from dstream_compat.input.blocks import DirectoryBlockStore
from dstream_compat.input.receiver_source import ReceiverSource
from dstream_compat.input.storage import LocalStorage
from dstream_compat.mqtt import MQTTReceiver, MQTTUtils, _parsed
from dstream_compat.stages.partitions import Partition, Stored
from tests.dstream_compat.engine.hand_driven import ByHand, by_hand, collected
from tests.servers.mosquitto import Mosquitto, NotInstalled
from tests.servers.processes import wait_for
from tests.servers.required import missing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    try:
        broker = Mosquitto(tmp_path_factory.mktemp("mosquitto"))
    except NotInstalled:
        missing("mosquitto is not installed (apt-get install mosquitto)")
    broker.start()
    yield broker
    broker.stop()


def publish(broker: Mosquitto, topic: str, *payloads: str | bytes, retain: bool = False) -> None:
    """Publish with quality of service 1; the broker has them when this returns."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for payload in payloads:
        client.publish(topic, payload, qos=1, retain=retain).wait_for_publish(30)
    client.disconnect()
    client.loop_stop()


class Watch:
    """Hears when a subscription stands: a retained message comes with it."""

    def __init__(self, broker: Mosquitto, topic: str) -> None:
        publish(broker, topic, "hello", retain=True)


def ticked_until(job: ByHand, seen: list[Any], wanted: set[str]) -> list[str]:
    """Tick until all of ``wanted`` was seen; returns all that was."""

    def there() -> bool:
        job.tick()
        return wanted <= {element for batch in seen for element in batch}

    wait_for(there, "the messages")
    return [element for batch in seen for element in batch]


def test_messages_are_text_and_come_once(sc: SparkContext, broker: Mosquitto) -> None:
    Watch(broker, "one/sensor")
    with by_hand(sc) as job:
        seen = collected(MQTTUtils.createStream(job.ssc, broker.url, "one/#"))
        job.ssc.start()
        ticked_until(job, seen, {"hello"})
        publish(broker, "one/sensor", "1", "caf\u00e9", b"\xff", "")
        publish(broker, "another", "not for us")
        everything = ticked_until(job, seen, {"1", "caf\u00e9", "\ufffd", ""})
        assert sorted(everything) == sorted(["hello", "1", "caf\u00e9", "\ufffd", ""])
        assert job.error() == ""


def test_a_broker_that_restarts_costs_no_message(
    sc: SparkContext, broker: Mosquitto, tmp_path: Path
) -> None:
    Watch(broker, "two")
    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path))
        seen = collected(MQTTUtils.createStream(job.ssc, broker.url, "two"))
        job.ssc.start()
        ticked_until(job, seen, {"hello"})
        broker.stop()
        broker.start()
        # the session is the broker's to keep: it is there before the receiver is back
        publish(broker, "two", *(str(i) for i in range(200)))
        everything = ticked_until(job, seen, {str(i) for i in range(200)})
        # one may come twice where its acknowledgement was lost with the connection
        assert set(everything) == {"hello", *(str(i) for i in range(200))}
        assert job.error() == ""


def test_what_comes_while_a_recoverable_job_is_away_comes_later(
    sc: SparkContext, broker: Mosquitto, tmp_path: Path
) -> None:
    Watch(broker, "three")
    output = tmp_path / "output"
    output.mkdir()

    def build(job: ByHand) -> None:
        stream = MQTTUtils.createStream(job.ssc, broker.url, "three")
        path = str(output)

        def write(time: Any, rdd: Any) -> None:
            for number, element in enumerate(rdd.collect()):
                Path(path, f"{time.timestamp()}-{number}").write_text(element)

        stream.foreachRDD(write)

    def written() -> list[str]:
        return [file.read_text() for file in output.iterdir()]

    with by_hand(sc) as job:
        job.ssc.checkpoint(str(tmp_path / "checkpoint"))
        build(job)
        job.ssc.start()
        wait_for(lambda: job.tick() or "hello" in written(), "the first message")
    publish(broker, "three", "while away")
    with by_hand(sc) as job:
        job.ssc = StreamingContext.getOrCreate(str(tmp_path / "checkpoint"), _never)
        job.ssc.start()
        wait_for(lambda: job.tick() or "while away" in written(), "the message")
    assert written().count("while away") == 1


def _never() -> StreamingContext:
    raise AssertionError("the setup function was called")


def test_a_broker_that_is_not_there_yet_is_tried_again(
    sc: SparkContext, tmp_path: Path, broker: Mosquitto
) -> None:
    late = Mosquitto(tmp_path)
    sc._conf.set("spark.streaming.receiverRestartDelay", "100ms")  # type: ignore[union-attr]
    try:
        with by_hand(sc) as job:
            seen = collected(MQTTUtils.createStream(job.ssc, late.url, "late"))
            job.ssc.start()
            job.tick()
            late.start()
            stop = threading.Event()

            def keep_publishing() -> None:
                while not stop.wait(0.1):
                    publish(late, "late", "x")

            thread = threading.Thread(target=keep_publishing, daemon=True)
            thread.start()
            ticked_until(job, seen, {"x"})
            stop.set()
            thread.join()
    finally:
        late.stop()
        sc._conf.set("spark.streaming.receiverRestartDelay", "2000ms")  # type: ignore[union-attr]


def test_a_url_that_is_none_is_refused_in_one_sentence(sc: SparkContext) -> None:
    with by_hand(sc) as job:
        for url in ("localhost", "http://host:80", "tcp://:1883", "tcp://host:port"):
            with pytest.raises(
                ValueError, match=r"createStream at test_mqtt\.py:.*tcp://host:1883"
            ):
                MQTTUtils.createStream(job.ssc, url, "topic")


def test_names_and_passwords_are_unquoted() -> None:
    place = _parsed("ssl://me%40home:p%3A%2Fw@host", "here")
    assert place == ("ssl", "host", 8883, "me@home", "p:/w")
    assert _parsed("tcp://host:1", "here") == ("tcp", "host", 1, None, None)


class Flaky(DirectoryBlockStore):
    """A disk that is full for a moment."""

    failed = False

    def put(self, stream_id: int, chunks: Sequence[bytes], records: int) -> Partition:
        if not self.failed:
            self.failed = True
            raise OSError("no space left on device")
        return super().put(stream_id, chunks, records)


class Receiving:
    """A receiver of a topic, without a job around it."""

    def __init__(self, broker: Mosquitto, topic: str, store: DirectoryBlockStore) -> None:
        self.events: list[tuple[str, str]] = []
        self.receiver = MQTTReceiver(_parsed(broker.url, "here"), topic, f"id-{topic}")
        self.source = ReceiverSource(
            self.receiver,
            0,
            store=store,
            restart_delay_ms=10,
            on_event=lambda event, fields: self.events.append(
                (event, fields["last_error_message"])
            ),
        )
        self._store = store
        self.source.recover([])
        self.source.start(0)
        self._seen: list[Any] = []

    def seen(self) -> list[str]:
        blocks = [p for p in self.source.take(0).partitions if isinstance(p, Stored)]
        self._seen += [element.decode() for block in blocks for element in self._store.read(block)]
        return self._seen


def test_a_block_that_cannot_be_stored_restarts_the_receiver_and_comes_again(
    broker: Mosquitto, tmp_path: Path
) -> None:
    Watch(broker, "full")
    receiving = Receiving(broker, "full", Flaky(LocalStorage(tmp_path)))
    try:
        wait_for(lambda: "hello" in receiving.seen(), "the message")
        publish(broker, "full", "later")
        wait_for(lambda: "later" in receiving.seen(), "the next one")
        assert [event for event, _ in receiving.events] == ["started", "stopped", "started"]
        assert "Storing MQTT messages failed (OSError)" in receiving.events[1][1]
    finally:
        receiving.source.stop()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_message_that_was_not_acknowledged_when_its_job_was_killed_comes_again(
    broker: Mosquitto, tmp_path: Path, moment: str
) -> None:
    """Killed before it was stored, or between that and its acknowledgement."""
    topic, told = f"killed-{moment}", tmp_path / "told"
    Watch(broker, topic)
    script = str(ROOT / "tests" / "jobs" / "mqtt_messages.py")
    blocks = tmp_path / "blocks"
    arguments = (broker.url, topic, f"id-{topic}", str(blocks), str(told), moment)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    job = subprocess.Popen([sys.executable, script, *arguments], env=environment)
    try:
        wait_for(told.exists, "the first message")
        publish(broker, topic, "second")
    finally:
        job.kill()
        job.wait(60)
    publish(broker, topic, "while away")
    receiving = Receiving(broker, topic, DirectoryBlockStore(LocalStorage(blocks)))
    try:
        wanted = {"hello", "second", "while away"}
        wait_for(lambda: wanted <= set(receiving.seen()), "the messages")
    finally:
        receiving.source.stop()


def test_a_session_without_its_subscription_is_subscribed(
    broker: Mosquitto, tmp_path: Path
) -> None:
    """The last connection was lost between CONNECT and SUBSCRIBE."""
    client = paho.Client(paho.CallbackAPIVersion.VERSION2, client_id="id-half", clean_session=False)
    connected = threading.Event()
    client.on_connect = lambda *_: connected.set()
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    assert connected.wait(30)
    client.disconnect()
    client.loop_stop()
    Watch(broker, "half")
    receiving = Receiving(broker, "half", DirectoryBlockStore(LocalStorage(tmp_path)))
    try:
        wait_for(lambda: "hello" in receiving.seen(), "the message")
    finally:
        receiving.source.stop()


def test_a_subscription_that_is_refused_is_an_error_of_the_receiver(
    broker: Mosquitto, tmp_path: Path
) -> None:
    # this broker allows everything: another one's answer
    reason = paho.ReasonCode(paho.PacketTypes.SUBACK, "Not authorized")
    receiving = Receiving(broker, "secret", DirectoryBlockStore(LocalStorage(tmp_path)))
    try:
        wait_for(lambda: receiving.receiver._subscribed, "the subscription")
        receiving.receiver._answered(None, None, 1, [reason], None)
        wait_for(lambda: len(receiving.events) >= 3, "the restart")
        assert "refused the subscription: Not authorized" in receiving.events[1][1]
    finally:
        receiving.source.stop()
