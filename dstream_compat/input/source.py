"""The driver's side of an input stream: what every kind of input tells the engine."""

from __future__ import annotations

from collections.abc import Iterable

from dstream_compat.stages.partitions import Batch


class Stopped(Exception):
    """The context is stopping: the answer is no longer needed."""


class InputSource:
    """One input stream. ``take`` is called by one thread only, the generator's.

    Most methods have a default that does nothing: a source overrides what concerns it.
    """

    # legacy: keeps what no output needs until a later tick; a receiver's data is dropped instead
    on_demand: bool = False
    # Can slow down when batches fall behind (backpressure): see update_rate.
    adapts: bool = False
    # Its newest batch alone says where to resume, so the log keeps that batch, however old.
    resumes_from_newest: bool = False

    @property
    def remember_ms(self) -> int:
        """How long a logged batch matters to :meth:`recover`."""
        return 0

    def recover(self, history: Iterable[tuple[int, Batch]]) -> None:
        """Resume after a restart: called before ``start`` with the logged batches, oldest first."""

    def start(self, zero_time: int) -> None:
        """Begin receiving; ``zero_time`` is the batch time before the first one, in ms."""

    def take(self, tick: int) -> Batch:
        """What belongs to the batch of time ``tick`` (ms); called once per tick, in order.

        Sources that work ``on_demand`` are skipped at ticks that no output needs.
        """
        raise NotImplementedError

    def update_rate(self, rate: float) -> None:
        """Backpressure: how many records a second the job can process."""

    def processed(self, batch: Batch) -> None:
        """The newest batch of this source that was completely processed."""

    def interrupt(self) -> None:
        """The context stops: give up a ``take`` that is waiting for an outside system."""

    def stop(self) -> None:
        """Stop receiving. ``take`` may be called once more for what is still pending."""

    def drained(self) -> bool:
        """Whether everything received has been taken."""
        return True

    def close(self) -> None:
        """Close connections; nothing is called afterwards."""
