"""What the engine reports of its batches, and to whom."""

from __future__ import annotations

from dstream_compat.graph.nodes import Output


class Reports:
    """Override what you want to know; a context takes an instance before its start.

    All calls come from the thread that runs the outputs, except some of ``failed``.
    """

    def batch_started(self, tick: int, began_ms: int) -> None:
        """The first output of a batch is about to run."""

    def output_started(self, tick: int, number: int, output: Output) -> None:
        """An output is about to run; ``number`` counts those of its batch."""

    def output_ended(self, tick: int, number: int, output: Output, error: str | None) -> None:
        """An output has returned, or raised ``error``."""

    def batch_ended(self, tick: int) -> None:
        """All outputs of a batch have run."""

    def failed(self, tick: int, text: str) -> None:
        """A batch, or a part of its input, failed outside its outputs."""

    def passed(self, tick: int, phase: int, last: bool) -> None:
        """A phase of a tick is over, whether or not any output was due."""


class SeveralReports(Reports):
    """Tells each of several, in order."""

    def __init__(self, *reports: Reports) -> None:
        self._reports = reports

    def batch_started(self, tick: int, began_ms: int) -> None:
        for each in self._reports:
            each.batch_started(tick, began_ms)

    def output_started(self, tick: int, number: int, output: Output) -> None:
        for each in self._reports:
            each.output_started(tick, number, output)

    def output_ended(self, tick: int, number: int, output: Output, error: str | None) -> None:
        for each in self._reports:
            each.output_ended(tick, number, output, error)

    def batch_ended(self, tick: int) -> None:
        for each in self._reports:
            each.batch_ended(tick)

    def failed(self, tick: int, text: str) -> None:
        for each in self._reports:
            each.failed(tick, text)

    def passed(self, tick: int, phase: int, last: bool) -> None:
        for each in self._reports:
            each.passed(tick, phase, last)
