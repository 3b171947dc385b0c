"""A Mosquitto broker on loopback, which keeps its sessions over a restart."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.servers.processes import Server, free_port

_CONFIGURATION = """
listener {port} 127.0.0.1
allow_anonymous true
persistence true
persistence_location {folder}/
autosave_interval 1
autosave_on_changes true
user {user}
"""


class NotInstalled(Exception):
    """There is no mosquitto on this machine."""


class Mosquitto(Server):
    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
        program = shutil.which("mosquitto", path=path)
        if program is None:
            raise NotInstalled
        port = free_port()
        self.url = f"tcp://127.0.0.1:{port}"
        user = "root" if os.geteuid() == 0 else "mosquitto"
        configuration = folder / "mosquitto.conf"
        configuration.write_text(_CONFIGURATION.format(port=port, folder=folder, user=user))
        super().__init__([program, "-c", str(configuration)], port, folder / "mosquitto.log")
