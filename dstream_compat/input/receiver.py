"""The class that users extend to bring their own data into a stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dstream_compat.input.receiver_source import ReceiverSource


class Receiver:
    """Brings data into a stream; extend it and hand an instance to ``receiverStream``.

    ``onStart`` begins receiving, usually by starting a thread that calls :meth:`store` until
    :meth:`isStopped`; ``onStop`` ends what ``onStart`` began. Both are called again for every
    restart. An ``onStart`` that returns only when everything is received works, too.

    >>> class Numbers(Receiver):
    ...     def onStart(self):
    ...         for number in range(3):
    ...             self.store(number)
    ...     def onStop(self):
    ...         pass
    """

    # On the class, so that extending it without calling super().__init__() works.
    storageLevel: Any = None
    _source: ReceiverSource | None = None

    def __init__(self, storageLevel: Any = None) -> None:
        # Only kept to be read back; the context decides where blocks are stored.
        self.storageLevel = storageLevel

    def onStart(self) -> None:
        """Begin receiving. To be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not define onStart().")

    def onStop(self) -> None:
        """End receiving. To be overridden."""
        raise NotImplementedError(f"{type(self).__name__} does not define onStop().")

    @property
    def streamId(self) -> int:
        """The id of the stream this receiver feeds; -1 while it has none."""
        return -1 if self._source is None else self._source.stream_id

    def store(self, item: Any) -> None:
        """Add one element. Waits while the receiver is faster than its rate limit."""
        self._attached().add(item)

    def storeAll(self, items: Iterable[Any]) -> None:
        """Add elements as one block, stored when this returns. Not rate limited."""
        self._attached().add_block(items)

    def restart(
        self, message: str, error: BaseException | None = None, millisecond: int | None = None
    ) -> None:
        """Have ``onStop`` called, and ``onStart`` after a delay. Returns at once."""
        self._attached().restart(message, error, millisecond)

    def stop(self, message: str, error: BaseException | None = None) -> None:
        """Have the receiver stopped for good. Returns at once."""
        self._attached().finish(message, error)

    def reportError(self, message: str, error: BaseException | None = None) -> None:
        """Report an error to the listeners; the receiver keeps running."""
        self._attached().report_error(message, error)

    def isStarted(self) -> bool:
        return self._attached().state == "started"

    def isStopped(self) -> bool:
        """True from a request to stop or restart until ``onStart`` is called again."""
        return self._attached().state == "stopped"

    def attach(self, source: ReceiverSource) -> None:
        """Called once, by the source that runs this receiver."""
        self._source = source

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_source"}

    def _attached(self) -> ReceiverSource:
        if self._source is None:
            raise RuntimeError(
                f"{type(self).__name__} does not belong to a stream yet: "
                "give it to receiverStream() and start the context first."
            )
        return self._source
