from __future__ import annotations

import pickle
import re
import socket
import struct
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dstream_compat.input.blocks import MemoryBlockStore
from dstream_compat.input.receiver_source import ReceiverSource
from dstream_compat.input.sockets import LineSplitter, SocketReceiver
from dstream_compat.stages.partitions import read_partition

LIMIT = 10.0


class Server:
    """A TCP server on loopback that a test drives by hand."""

    def __init__(self) -> None:
        self.port = 0
        self.open()

    def open(self) -> None:
        """Listen, after a close on the same port as before."""
        self._listening = socket.socket()
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listening.settimeout(LIMIT)
        self._listening.bind(("127.0.0.1", self.port))
        self.port = self._listening.getsockname()[1]
        self._listening.listen(1)

    def accept(self) -> socket.socket:
        connection, _ = self._listening.accept()
        connection.settimeout(LIMIT)
        return connection

    def close(self) -> None:
        self._listening.close()


class Run:
    """A socket stream under way: its source and what it told."""

    def __init__(self, port: int, host: str = "127.0.0.1", **settings: Any) -> None:
        self._changed = threading.Condition()
        self._events: list[tuple[str, str]] = []
        settings = {"block_interval_ms": 5, "restart_delay_ms": 5, **settings}
        self.source = ReceiverSource(
            SocketReceiver(host, port),
            0,
            store=MemoryBlockStore(),
            on_event=self._on_event,
            **settings,
        )
        self.source.start(0)

    def _on_event(self, kind: str, fields: dict[str, Any]) -> None:
        with self._changed:
            self._events.append((kind, fields["last_error_message"]))
            self._changed.notify_all()

    def wait_for(self, kind: str, message: str) -> None:
        """Wait for an event that ends in ``message``."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: any(k == kind and m.endswith(message) for k, m in self._events), LIMIT
            ), self._events

    def lines(self, count: int) -> list[str]:
        """Take until ``count`` lines came."""
        got: list[str] = []
        pause = threading.Event()
        for _ in range(int(LIMIT / 0.01)):
            for block in self.source.take(0).partitions:
                got += [line for chunk in read_partition(block) for line in chunk]
            if len(got) >= count:
                break
            pause.wait(0.01)
        return got


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def run(server: Server) -> Iterator[Run]:
    run = Run(server.port)
    yield run
    run.source.stop()


def reference(data: bytes) -> list[str]:
    data = re.sub(rb"\xed[\xa0-\xbf][\x80-\xbf]?", b"\xff", data)  # one U+FFFD for each, as in Java
    lines = re.split("\r\n|\r|\n", data.decode("utf-8", "replace"))
    return lines if lines[-1] else lines[:-1]


pieces = st.lists(
    st.one_of(
        st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f"]),
        st.sampled_from(["ä", "€", "😀", "\x0b", "\x0c", "\x85", "\u2028", "\ufeff"]).map(
            str.encode
        ),
        st.sampled_from([b"\xed", b"\xed\xa0", b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xed\x95\x9c"]),
        st.binary(max_size=4),
    )
).map(b"".join)


@given(pieces, st.lists(st.integers(0, 40)))
def test_lines_do_not_depend_on_where_the_data_was_cut(data: bytes, cuts: list[int]) -> None:
    splitter = LineSplitter()
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    got: list[str] = []
    for start, end in pairwise(edges):
        got += splitter.feed(data[start:end])
    assert got + splitter.finish() == reference(data)


def test_a_line_ended_by_a_carriage_return_is_given_out_at_once() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"a\r") == ["a"]
    assert splitter.feed(b"\n") == []
    assert splitter.feed(b"\n") == [""]


def test_a_long_line_in_many_pieces_is_one_line() -> None:
    splitter = LineSplitter()
    for _ in range(10_000):
        assert splitter.feed(b"x" * 100) == []
    assert splitter.feed(b"\n") == ["x" * 1_000_000]


def test_lines_arrive_while_the_connection_is_open(server: Server, run: Run) -> None:
    with server.accept() as connection:
        connection.sendall("one\r\n\ntwö\rth".encode())
        assert run.lines(3) == ["one", "", "twö"]
        connection.sendall(b"ree\n")
        assert run.lines(1) == ["three"]


def test_at_the_end_the_open_line_is_delivered_and_the_receiver_connects_again(
    server: Server, run: Run
) -> None:
    with server.accept() as connection:
        connection.sendall(b"one\ntail \xff")
    assert run.lines(2) == ["one", "tail \ufffd"]
    run.wait_for(
        "stopped", "Restarting receiver with delay 5ms: Socket data stream had no more data"
    )
    with server.accept() as connection:
        connection.sendall(b"two\n")
        assert run.lines(1) == ["two"]


def test_a_server_that_goes_away_and_comes_back_is_found_again(server: Server, run: Run) -> None:
    connection = server.accept()
    server.close()
    connection.sendall(b"before\n")
    connection.close()
    run.wait_for("stopped", f"Error connecting to 127.0.0.1:{server.port}")
    server.open()
    with server.accept() as again:
        again.sendall(b"after\n")
        assert run.lines(2) == ["before", "after"]


def test_a_reset_connection_is_an_error_and_half_a_line_is_lost(server: Server, run: Run) -> None:
    connection = server.accept()
    connection.sendall(b"whole\nha")
    assert run.lines(1) == ["whole"]
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()
    run.wait_for("stopped", "Error receiving data")
    with server.accept() as again:
        again.sendall(b"next\n")
        assert run.lines(1) == ["next"]


def test_a_closed_port_is_tried_again_and_again(server: Server) -> None:
    server.close()
    run = Run(server.port)
    run.wait_for("stopped", f"Error connecting to 127.0.0.1:{server.port}")
    server.open()
    with server.accept() as connection:
        connection.sendall(b"at last\n")
        assert run.lines(1) == ["at last"]
    run.source.stop()


def test_an_unknown_host_is_an_error_of_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*arguments: Any, **options: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    run = Run(1, host="no.such.host.invalid", restart_delay_ms=10**9)
    run.wait_for("stopped", "Error starting receiver 0")
    run.source.stop()


def test_stopping_closes_the_connection_and_drops_half_a_line(server: Server, run: Run) -> None:
    with server.accept() as connection:
        connection.sendall(b"whole\nha")
        assert run.lines(1) == ["whole"]
        before = time.monotonic()
        run.source.stop()
        assert time.monotonic() - before < LIMIT / 2
        assert connection.recv(1) == b""
        run.wait_for("stopped", "Stopped by driver")
        assert run.source.drained()


def test_stopping_does_not_wait_for_a_connection_that_never_comes_about(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connecting, connected = threading.Event(), threading.Event()

    class Watched(socket.socket):
        def connect(self, address: Any) -> None:
            connecting.set()
            super().connect(address)
            connected.set()

    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        crowd = [socket.socket() for _ in range(4)]
        for one in crowd:  # more than the queue holds: whoever comes now waits
            one.setblocking(False)
            one.connect_ex(address)
        monkeypatch.setattr(socket, "socket", Watched)
        run = Run(address[1])
        assert connecting.wait(LIMIT)
        before = time.monotonic()
        run.source.stop()
        assert time.monotonic() - before < LIMIT / 2
        assert not connected.is_set()
        run.wait_for("stopped", "Stopped by driver")
        for one in crowd:
            one.close()


def test_a_rate_limit_slows_the_reader_down_and_loses_nothing(server: Server) -> None:
    run = Run(server.port, max_rate=500)
    with server.accept() as connection:
        connection.sendall(b"".join(b"%d\n" % n for n in range(200)))
        before = time.monotonic()
        assert run.lines(200) == [str(n) for n in range(200)]
        assert time.monotonic() - before > 0.1
    run.source.stop()


def test_a_socket_receiver_can_be_pickled_in_mid_run(server: Server, run: Run) -> None:
    with server.accept():
        copy = pickle.loads(pickle.dumps(run.source._receiver))
    assert (copy.host, copy.port, copy.streamId) == ("127.0.0.1", server.port, -1)
    copy.onStop()
