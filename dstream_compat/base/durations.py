"""Seconds as users give them, milliseconds as batches need them."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Any


def to_ms(seconds: Any, what: str) -> int:
    """legacy: ``int(seconds * 1000)``, truncating. Anything but a number is refused by name.

    >>> to_ms(0.5, "batchDuration")
    500
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"{what} should be a number of seconds, got {type(seconds).__name__}")
    return int(seconds * 1000)


def to_datetime(ms: int) -> datetime:
    """legacy: batch times are naive, in the driver's time zone."""
    return datetime.fromtimestamp(ms / 1000.0)


def to_epoch_ms(moment: datetime | float) -> int:
    """legacy: a datetime loses its fraction of a second here."""
    if isinstance(moment, datetime):
        moment = time.mktime(moment.timetuple())
    return int(moment * 1000)


def file_name(prefix: str, suffix: str | None, moment: datetime) -> str:
    """The name of a batch's output directory.

    >>> file_name("out/words", "txt", datetime.fromtimestamp(1.5))
    'out/words-1500.txt'
    """
    ms = int(time.mktime(moment.timetuple())) * 1000 + moment.microsecond // 1000
    return f"{prefix}-{ms}" if suffix is None else f"{prefix}-{ms}.{suffix}"
