"""A Kafka broker of one node (KRaft, no ZooKeeper), on loopback."""

from __future__ import annotations

import base64
import os
import subprocess
from pathlib import Path

from tests.servers import jars
from tests.servers.processes import LIMIT, Server, free_port, java

_PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.cleaner.enable=false
log.retention.check.interval.ms=500
log.segment.delete.delay.ms=0
"""


class Broker(Server):
    """Apache Kafka; ``address`` is what clients call ``bootstrap.servers``."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        properties = folder / "server.properties"
        properties.write_text(_PROPERTIES.format(port=port, controller=free_port(), folder=folder))
        cluster = base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=")
        if cluster.startswith("-"):
            cluster = "a" + cluster[1:]
        found = jars.broker()
        options = ("format", "-t", cluster, "-c", str(properties))
        subprocess.run(
            java(found, "kafka.tools.StorageTool", *options),
            check=True,
            timeout=LIMIT,
            capture_output=True,
        )
        command = java(found, "kafka.Kafka", str(properties), heap="512m")
        super().__init__(command, port, folder / "broker.log")
