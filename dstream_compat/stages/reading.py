"""Reading one split of a local file, as Hadoop's input formats would. Plain file I/O, no Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BufferedReader
from typing import TypeVar

BLOCK = 1 << 20  # bytes asked of the file at a time
BOM = b"\xef\xbb\xbf"
ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]?")

T = TypeVar("T")


def read_text(path: str, start: int, length: int, chunk_size: int) -> Iterator[list[str]]:
    r"""The lines of the split ``[start, start + length)`` of a text file, ``chunk_size`` at a time.

    Lines end at ``\n``, ``\r\n`` or ``\r``. A line belongs to the split in which it starts, and one
    that starts exactly on the border between two splits to the first of them. So whatever the
    borders, the splits of a file together give each of its lines once. Bytes that are not UTF-8
    become U+FFFD, and a byte order mark at the start of the file is dropped.
    """
    with open(path, "rb") as file:
        yield from _in_chunks(_line_lists(file, start, start + length), chunk_size)


def read_records(
    path: str, start: int, length: int, record_length: int, chunk_size: int
) -> Iterator[list[bytes]]:
    """The records that start in ``[start, start + length)``, in lists of at most ``chunk_size``.

    Records are ``record_length`` bytes each, counted from the start of the file. A file that ends
    within a record raises ``EOFError`` after its last whole one.
    """
    if record_length <= 0:
        raise ValueError(f"The record length must be positive, not {record_length}.")
    position = -(-start // record_length) * record_length
    end = start + length
    with open(path, "rb") as file:
        file.seek(position)
        while position < end:
            wanted = min(chunk_size, -(-(end - position) // record_length))
            block = file.read(wanted * record_length)
            whole = len(block) // record_length * record_length
            if whole:
                yield [block[at : at + record_length] for at in range(0, whole, record_length)]
            if whole < wanted * record_length:
                raise EOFError(
                    f"{path} ends {len(block) - whole} bytes into the record at byte "
                    f"{position + whole}: its records should be {record_length} bytes long."
                )
            position += whole


def _line_lists(file: BufferedReader, start: int, end: int) -> Iterator[list[str]]:
    file.seek(start)
    at_file_start = start == 0
    if not at_file_start:
        start += sum(len(piece) for piece in _to_line_end(file))
    for lines in _whole_lines(file, start, end):
        if at_file_start and lines.startswith(BOM):
            lines = lines[len(BOM) :]
        at_file_start = False
        if lines:  # a file of nothing but a byte order mark has no line
            yield _decoded(lines)


def _whole_lines(file: BufferedReader, position: int, end: int) -> Iterator[bytes]:
    """The bytes of the lines that start at ``position`` up to and including ``end``, terminators
    included, cut only between lines. The file stands at ``position``, where a line starts."""
    unfinished: list[bytes] = []
    while position < end:
        block = file.read(min(BLOCK, end - position))
        if not block:
            break
        if block[-1:] == b"\r" and file.peek(1)[:1] == b"\n":
            block += file.read(1)
        position += len(block)
        cut = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if cut:
            yield b"".join((*unfinished, block[:cut]))
            unfinished = []
        if cut < len(block):
            unfinished.append(block[cut:])
    # What starts at or before the end is ours to finish. Past the end (the line feed of a
    # terminator that straddles it was taken along) begins the next split's first line.
    if unfinished or position == end:
        yield b"".join((*unfinished, *_to_line_end(file)))


def _to_line_end(file: BufferedReader) -> Iterator[bytes]:
    """The bytes up to and including the next line terminator, or the end of the file."""
    while piece := file.readline(BLOCK):
        cut = piece.find(b"\r") + 1
        if not cut:
            yield piece
            if piece[-1:] == b"\n":
                return
        elif cut == len(piece):
            yield piece
            if file.peek(1)[:1] == b"\n":
                yield file.read(1)
            return
        else:
            if piece[cut : cut + 1] == b"\n":
                cut += 1
            file.seek(cut - len(piece), 1)
            yield piece[:cut]
            return


def _decoded(lines: bytes) -> list[str]:
    """``lines`` as strings without their terminators."""
    if b"\r" in lines:
        lines = lines.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if lines[-1:] == b"\n":
        lines = lines[:-1]
    try:
        return lines.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        # Java replaces an encoded surrogate, whole or cut short, by one U+FFFD; Python would put
        # one for each of its bytes.
        lines = ENCODED_SURROGATE.sub(b"\xff", lines)
        return lines.decode("utf-8", "replace").split("\n")


def _in_chunks(lists: Iterator[list[T]], size: int) -> Iterator[list[T]]:
    """The same elements in lists of ``size``, the last one perhaps shorter."""
    pending: list[T] = []
    for elements in lists:
        pending += elements
        whole = len(pending) // size * size
        for at in range(0, whole, size):
            yield pending[at : at + size]
        pending = pending[whole:]
    if pending:
        yield pending
