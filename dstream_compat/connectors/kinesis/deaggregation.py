"""Records that Amazon's producer library packed several to one, taken apart again.

legacy: the client library under Spark's old receiver did this unasked. The format is a magic
number, a protobuf message of three fields, and the MD5 sum of that message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

_MAGIC = b"\xf3\x89\x9a\xc2"
_SUM = 16
_RECORDS = 3  # the field of the outer message that holds the packed records
_DATA = 3  # the field of a packed record that holds its bytes


def user_records(data: bytes) -> list[bytes]:
    """What the producer was given: one record, or all that were packed into it.

    >>> user_records(b"plain")
    [b'plain']
    """
    if not data.startswith(_MAGIC) or len(data) <= len(_MAGIC) + _SUM:
        return [data]
    message, total = data[len(_MAGIC) : -_SUM], data[-_SUM:]
    if hashlib.md5(message, usedforsecurity=False).digest() != total:
        return [data]  # just looks like it
    return [
        next((value for field, value in _fields(packed) if field == _DATA), b"")
        for number, packed in _fields(message)
        if number == _RECORDS
    ]


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protobuf message that hold bytes; numbers are skipped."""
    at = 0
    while at < len(message):
        tag, at = _number(message, at)
        if tag & 7 == 0:
            _, at = _number(message, at)
        elif tag & 7 == 2:
            size, at = _number(message, at)
            yield tag >> 3, message[at : at + size]
            at += size
        else:
            raise ValueError("a packed Kinesis record holds a field of an unknown kind")


def _number(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
