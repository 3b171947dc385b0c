"""Servers in processes of their own, on loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

LIMIT = 90.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def java(jars: Sequence[str], main: str, *arguments: str, heap: str = "256m") -> list[str]:
    """The command that runs a Java program."""
    options = [f"-Xmx{heap}", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]
    return [shutil.which("java") or "java", *options, "-cp", ":".join(jars), main, *arguments]


def wait_for(condition: Callable[[], bool], what: str, limit: float = LIMIT) -> None:
    """Wait until ``condition()``; fails after ``limit`` seconds, naming ``what``."""
    pause = threading.Event()
    until = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < until, f"{what}: not after {limit:.0f} seconds"
        pause.wait(0.02)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Server:
    """A process that listens on ``port``; it may be stopped, killed and started again."""

    def __init__(self, command: Sequence[str], port: int, log: Path) -> None:
        self.port = port
        self._command = list(command)
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        wait_for(self._is_up, f"{self._command[0]} listening")

    def _is_up(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()[-3000:]
        return listens(self.port)

    def stop(self, kill: bool = False) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        if kill:
            self._process.kill()
        else:
            self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(30)
