"""Lines of text from a TCP server."""

from __future__ import annotations

import codecs
import contextlib
import logging
import re
import socket
import threading
from typing import Any

from dstream_compat.input.receiver import Receiver
from dstream_compat.stages.reading import ENCODED_SURROGATE

_log = logging.getLogger(__name__)

_RECEIVE_BYTES = 65536
_CUT_SURROGATE = re.compile(rb"\xed[\xa0-\xbf]?\Z")


class LineSplitter:
    r"""Splits bytes that arrive in pieces into lines, ended by \n, \r or \r\n.

    A line is returned as soon as its end is seen, so a \n right after a \r is skipped later.
    Bytes that are not UTF-8 become U+FFFD.

    >>> lines = LineSplitter()
    >>> lines.feed(b"a\r"), lines.feed(b"\nb\n\nc"), lines.finish()
    (['a'], ['b', ''], ['c'])
    """

    def __init__(self) -> None:
        self._held = b""  # perhaps the start of an encoded surrogate
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._tail: list[str] = []  # the pieces of the line that has not ended
        self._after_cr = False

    def feed(self, data: bytes) -> list[str]:
        """The lines that end in ``data``."""
        if self._held or b"\xed" in data:
            data, self._held = self._held + data, b""
            if cut := _CUT_SURROGATE.search(data):
                data, self._held = data[: cut.start()], cut[0]
            # legacy: Java makes one U+FFFD of all of it, Python one of each byte
            data = ENCODED_SURROGATE.sub(b"\xff", data)
        return self._split(self._decoder.decode(data))

    def finish(self) -> list[str]:
        """The last line, if it has no end, once there is no more data."""
        held = ENCODED_SURROGATE.sub(b"\xff", self._held)
        self._held = b""
        lines = self._split(self._decoder.decode(held, final=True))
        tail = "".join(self._tail)
        self._tail = []
        return [*lines, tail] if tail else lines

    def _split(self, text: str) -> list[str]:
        if not text:
            return []
        if self._after_cr and text[0] == "\n":
            text = text[1:]
        self._after_cr = text.endswith("\r")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._tail.append(lines.pop(0))
        if not lines:
            return []
        first = "".join(self._tail)
        self._tail = [lines.pop()]
        return [first, *lines]


class SocketReceiver(Receiver):
    """Connects to a server and stores each line it sends; reconnects when the connection ends."""

    def __init__(self, host: str, port: int, storageLevel: Any = None) -> None:
        super().__init__(storageLevel)
        self.host = host
        self.port = port
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def onStart(self) -> None:
        try:
            connection = self._connect()
        except socket.gaierror:
            raise  # legacy: an unknown host is an error of starting, not of connecting
        except OSError as error:
            self.restart(f"Error connecting to {self.host}:{self.port}", error)
            return
        try:
            self._receive(connection)
            self.restart("Socket data stream had no more data")
        except Exception as error:
            # no effect if the connection broke because onStop closed it
            self.restart("Error receiving data", error)
        finally:
            self.onStop()

    def onStop(self) -> None:
        with self._lock:
            connection, self._socket = self._socket, None
        if connection is not None:
            with contextlib.suppress(OSError):  # not connected
                # closing alone would not wake a thread that waits for data
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _connect(self) -> socket.socket:
        """Connects to the first address of the host that answers."""
        failure: OSError = ConnectionAbortedError("The receiver was stopped.")
        for family, kind, protocol, _, address in socket.getaddrinfo(
            self.host, self.port, type=socket.SOCK_STREAM
        ):
            connection = socket.socket(family, kind, protocol)
            with self._lock:
                self._socket = connection  # from here on onStop can close it
            if self.isStopped():  # onStop may have missed the socket
                self.onStop()
                break
            try:
                connection.connect(address)
                _log.info("Connected to %s:%s", self.host, self.port)
                return connection
            except OSError as error:
                failure = error
                self.onStop()
        raise failure

    def _receive(self, connection: socket.socket) -> None:
        lines = LineSplitter()
        while data := connection.recv(_RECEIVE_BYTES):
            for line in lines.feed(data):
                if self.isStopped():
                    return
                self.store(line)
        if not self.isStopped():  # else we closed it, and the last line is incomplete
            for line in lines.finish():
                self.store(line)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_lock", "_socket")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()
        self._socket = None
