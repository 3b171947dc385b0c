"""Spark's own streaming settings, read the way Spark reads them."""

from __future__ import annotations

import re
from collections.abc import Callable

Conf = Callable[[str], str | None]

_UNITS = {
    "us": 0.001,
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}


def time_ms(conf: Conf, key: str, default_ms: int, unit: str = "ms") -> int:
    """A duration such as ``200ms``, ``60s`` or ``2min``; a bare number is in ``unit``.

    >>> time_ms({"a": "60s"}.get, "a", 0), time_ms({}.get, "a", 200)
    (60000, 200)
    """
    text = conf(key)
    if text is None:
        return default_ms
    match = re.fullmatch(r"(-?\d+)\s*([a-z]*)", text.strip().lower())
    if match is None or (match[2] or unit) not in _UNITS:
        raise ValueError(f"{key} should be a duration such as 200ms or 60s")
    return int(int(match[1]) * _UNITS[match[2] or unit])


def size(conf: Conf, key: str, default: int) -> int:
    """A number of bytes such as ``64m`` or ``1g``; a bare number is bytes.

    >>> size({"a": "64m"}.get, "a", 0), size({"a": "2 GB"}.get, "a", 0), size({}.get, "a", 7)
    (67108864, 2147483648, 7)
    """
    text = conf(key)
    if text is None:
        return default
    match = re.fullmatch(r"(\d+)\s*([kmgtp]?)b?", text.strip().lower())
    if match is None:
        raise ValueError(f"{key} should be a size such as 64m or 1g")
    power: int = " kmgtp".index(match[2] or " ")
    return int(match[1]) << 10 * power


def number(conf: Conf, key: str, default: float | None) -> float | None:
    """A number, or ``default`` where the setting is absent."""
    text = conf(key)
    if text is None:
        return default
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{key} should be a number") from None


def flag(conf: Conf, key: str, default: bool = False) -> bool:
    """True or false, in any case."""
    text = conf(key)
    return default if text is None else text.strip().lower() == "true"
