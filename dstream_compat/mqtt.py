"""``pyspark.streaming.mqtt``: MQTT topics as streams, on paho-mqtt (extra ``mqtt``)."""

from __future__ import annotations

import queue
import threading
import uuid
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from pyspark import StorageLevel

from dstream_compat.dstream import DStream
from dstream_compat.graph.nodes import call_site
from dstream_compat.input.receiver import Receiver

if TYPE_CHECKING:
    from dstream_compat.context import StreamingContext

__all__ = ["MQTTUtils"]

_PORTS = {"tcp": 1883, "mqtt": 1883, "ssl": 8883, "tls": 8883, "mqtts": 8883}
_QOS = 1  # legacy: the client's default


class MQTTUtils:
    """Makes streams of MQTT topics."""

    @staticmethod
    def createStream(
        ssc: StreamingContext,
        brokerUrl: str,
        topic: str,
        storageLevel: StorageLevel = StorageLevel.MEMORY_AND_DISK_2,
    ) -> DStream[str]:
        """The payloads of ``topic`` (wildcards allowed) as text, with quality of service 1.

        ``brokerUrl`` is like ``tcp://host:1883`` or ``ssl://user:password@host:8883``.
        """
        site = call_site("createStream")
        try:
            import paho.mqtt.client as paho
        except ImportError:
            paho = None
        if paho is None or not hasattr(paho, "CallbackAPIVersion"):
            raise RuntimeError(
                f'{site}: MQTT needs paho-mqtt 2 on the driver: pip install "dstream-migrate[mqtt]"'
            )
        place = _parsed(brokerUrl, site)
        stream = ssc.receiverStream(MQTTReceiver(place, topic, f"dstream-{uuid.uuid4().hex}"))
        return stream.map(lambda payload: payload.decode("utf-8", "replace"))


def _parsed(url: str, site: str) -> tuple[str, str, int, str | None, str | None]:
    parsed = urlparse(url)
    try:
        port = parsed.port
    except ValueError:
        port = -1
    if parsed.scheme not in _PORTS or not parsed.hostname or port == -1:
        raise ValueError(f"{site}: brokerUrl should be like tcp://host:1883 or ssl://host:8883")
    port = port or _PORTS[parsed.scheme]
    # as in any URL, characters that would end the name or password are written %40, %3A, %2F
    user, password = (part and unquote(part) for part in (parsed.username, parsed.password))
    return parsed.scheme, parsed.hostname, port, user, password


class MQTTReceiver(Receiver):
    """Stores every message of a topic before it is acknowledged.

    The broker keeps the session of ``client_id``: messages sent while the job is down arrive later.
    """

    def __init__(
        self, place: tuple[str, str, int, str | None, str | None], topic: str, client_id: str
    ) -> None:
        super().__init__()
        self._place = place
        self._topic = topic
        self._client_id = client_id
        self._client: Any = None
        self._subscribed = False  # the broker has said so, to this process

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_client": None, "_subscribed": False}

    def onStart(self) -> None:
        import paho.mqtt.client as paho

        scheme, host, port, user, password = self._place
        client = paho.Client(
            paho.CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            # without a checkpoint, no later run would fetch what the broker keeps
            clean_session=not self._attached().durable,
            manual_ack=True,
        )
        if user is not None:
            client.username_pw_set(user, password)
        if _PORTS[scheme] == 8883:
            client.tls_set()
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        client.on_connect = self._connected
        client.on_subscribe = self._answered
        client.on_disconnect = self._disconnected
        client.on_message = lambda client, data, message: arrived.put(message)
        client.reconnect_delay_set(min_delay=1, max_delay=10)
        client.connect(host, port, keepalive=30)  # an exception restarts the receiver
        self._client = client, arrived
        client.loop_start()
        threading.Thread(
            target=self._keep_storing, args=(client, arrived), name="mqtt", daemon=True
        ).start()

    def onStop(self) -> None:
        if self._client is not None:
            (client, arrived), self._client = self._client, None
            client.disconnect()
            client.loop_stop()
            arrived.put(None)

    def _connected(self, client: Any, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            self.restart(f"The MQTT broker refused the connection: {reason}")
            return
        # Retained messages come with every subscription, so subscribe once. But a session may lack
        # the subscription, if the last connection broke before it was made.
        if not (flags.session_present and self._subscribed):
            client.subscribe(self._topic, qos=_QOS)

    def _answered(self, client: Any, data: Any, mid: int, reasons: Any, properties: Any) -> None:
        refused = [reason for reason in reasons if reason.is_failure]
        self._subscribed = not refused
        if refused:
            self.restart(f"The MQTT broker refused the subscription: {refused[0]}")

    def _disconnected(
        self, client: Any, data: Any, flags: Any, reason: Any, properties: Any
    ) -> None:
        if reason.is_failure:
            self.reportError(f"Lost the connection to the MQTT broker: {reason}")

    def _keep_storing(self, client: Any, arrived: queue.SimpleQueue[Any]) -> None:
        try:
            self._store_arriving(client, arrived)
        except Exception as error:
            if not self.isStopped():  # the broker sends again what was not acknowledged
                self.restart(f"Storing MQTT messages failed ({type(error).__name__})", error)

    def _store_arriving(self, client: Any, arrived: queue.SimpleQueue[Any]) -> None:
        """Store whatever has arrived, all of it at a time; then tell the broker to forget it."""
        while (message := arrived.get()) is not None:
            messages = [message]
            while not arrived.empty() and (message := arrived.get()) is not None:
                messages.append(message)
            source = self._attached()
            for block in source.paced([each] for each in messages):
                if not source.add_block([bytes(each.payload) for each in block]):
                    return  # the job stops: the broker keeps them
                for each in block:
                    client.ack(each.mid, each.qos)
            if message is None:
                return
