"""What jobs import from ``pyspark.streaming.util``."""

from __future__ import annotations

from datetime import datetime

from dstream_compat.base.durations import file_name

__all__ = ["rddToFileName"]


def rddToFileName(prefix: str, suffix: str | None, timestamp: datetime | int) -> str:
    """The name of a batch's output directory; ``timestamp`` is a batch time, or in milliseconds.

    >>> rddToFileName("spark", None, 12345678910)
    'spark-12345678910'
    """
    if isinstance(timestamp, datetime):
        return file_name(prefix, suffix, timestamp)
    return f"{prefix}-{timestamp}" if suffix is None else f"{prefix}-{timestamp}.{suffix}"
