"""Where ``repartition`` puts elements: the same partitions as Spark's.

Spark deals batches of ten elements out in turn, starting at a place drawn from a generator seeded
with the partition's index (XORShift over a MurmurHash3 of the seed). So the result is fixed, and
users see it in the files they write after a ``repartition``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

_M32 = 0xFFFFFFFF
_M64 = 0xFFFFFFFFFFFFFFFF
_ARRAY_SEED = 0x3C074A61
_DEALT = 10  # legacy: elements per pickled batch in a repartition


def _rotate(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & _M32


def _murmur3(data: bytes, seed: int) -> int:
    """MurmurHash3 (x86, 32 bit) of a multiple of four bytes, little-endian words."""
    hashed = seed
    for at in range(0, len(data), 4):
        word = int.from_bytes(data[at : at + 4], "little") * 0xCC9E2D51 & _M32
        hashed ^= _rotate(word, 15) * 0x1B873593 & _M32
        hashed = (_rotate(hashed, 13) * 5 + 0xE6546B64) & _M32
    hashed ^= len(data)
    hashed = (hashed ^ hashed >> 16) * 0x85EBCA6B & _M32
    hashed = (hashed ^ hashed >> 13) * 0xC2B2AE35 & _M32
    return hashed ^ hashed >> 16


def first_position(index: int, n: int) -> int:
    """The first number below ``n`` that Spark's generator draws for partition ``index``."""
    seed_bytes = index.to_bytes(8, "big")
    low = _murmur3(seed_bytes, _ARRAY_SEED)
    state = _murmur3(seed_bytes, low) << 32 | low
    while True:
        state ^= (state << 21) & _M64
        state ^= state >> 35
        state ^= (state << 4) & _M64
        bits = state & 0x7FFFFFFF
        if n & (n - 1) == 0:
            return n * bits >> 31
        if bits - bits % n + n - 1 < 2**31:
            return bits % n


def distribute_evenly(
    index: int, iterator: Iterator[Any], n: int
) -> Iterator[tuple[int, list[Any]]]:
    """Deal the elements of partition ``index`` out to ``n`` partitions, ten at a time."""
    position = first_position(index, n)
    while dealt := list(islice(iterator, _DEALT)):
        position += 1
        yield position % n, dealt


def slot_ids(slots: int) -> list[int]:
    """For every slot a number that Spark's hash partitioning sends to a partition of its own.

    >>> slot_ids(4)
    [12, 6, 2, 0]
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < slots:
        hashed = _murmur3(number.to_bytes(4, "little"), 42)
        signed = hashed - 2**32 if hashed >= 2**31 else hashed
        found.setdefault(signed % slots, number)
        number += 1
    return [found[slot] for slot in range(slots)]
