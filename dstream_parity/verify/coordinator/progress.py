"""A progress bar on a terminal; nothing elsewhere."""

from __future__ import annotations

import shutil
import time
from types import TracebackType
from typing import TextIO

_WIDTH = 24


class Bar:
    """Called with what is running, how many batches are done and how many there are."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = stream.isatty()
        self._began = time.monotonic()

    def __enter__(self) -> Bar:
        self._draw("starting Spark", 0, 0)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __call__(self, what: str, done: int, planned: int) -> None:
        self._draw(what, done, planned)

    def _draw(self, what: str, done: int, planned: int) -> None:
        if not self._shown:
            return
        filled = _WIDTH * done // planned if planned else 0
        seconds = time.monotonic() - self._began
        line = f"[{'█' * filled}{'·' * (_WIDTH - filled)}] {what} {done}/{planned}  {seconds:.0f} s"
        self._stream.write("\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1])
        self._stream.flush()
