"""The listener that a job implements to hear how its batches go."""

from __future__ import annotations

from typing import Any

__all__ = ["StreamingListener"]


class StreamingListener:
    """Override the events you want; register with ``ssc.addStreamingListener``.

    All calls come from one thread, in order. Fields of events are methods, as on the legacy
    engine's Java objects.

    >>> class Delays(StreamingListener):
    ...     def onBatchCompleted(self, batchCompleted):
    ...         print(batchCompleted.batchInfo().totalDelay())
    """

    def __init__(self) -> None:
        pass

    def onStreamingStarted(self, streamingStarted: Any) -> None:
        """The context has started: ``time()``."""

    def onReceiverStarted(self, receiverStarted: Any) -> None:
        """A receiver runs: ``receiverInfo()``."""

    def onReceiverError(self, receiverError: Any) -> None:
        """A receiver reported an error: ``receiverInfo()``."""

    def onReceiverStopped(self, receiverStopped: Any) -> None:
        """A receiver stopped, for good or for a restart: ``receiverInfo()``."""

    def onBatchSubmitted(self, batchSubmitted: Any) -> None:
        """A batch is waiting to be processed: ``batchInfo()``."""

    # legacy: the argument of onBatchStarted really is called batchSubmitted
    def onBatchStarted(self, batchSubmitted: Any) -> None:
        """A batch is being processed: ``batchInfo()``."""

    def onBatchCompleted(self, batchCompleted: Any) -> None:
        """A batch is over, also if an output failed: ``batchInfo()``."""

    def onOutputOperationStarted(self, outputOperationStarted: Any) -> None:
        """An output operation of a batch begins: ``outputOperationInfo()``."""

    def onOutputOperationCompleted(self, outputOperationCompleted: Any) -> None:
        """An output operation is over: ``outputOperationInfo()``, see ``failureReason()``."""
