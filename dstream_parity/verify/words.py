"""Counts and places in words, the same in every message and report."""

from __future__ import annotations

import os


def many(count: int, noun: str) -> str:
    """A number of things in words.

    >>> many(1, "batch"), many(3, "batch")
    ('1 batch', '3 batches')
    """
    if count == 1:
        return f"1 {noun}"
    plural = {"batch": "batches", "body": "bodies"}.get(noun, f"{noun}s")
    return f"{count} {plural}"


def place(file: str, line: int, cell: int | None = None) -> str:
    """A line of the job as ``migrate scan`` names it.

    >>> place("/jobs/clicks.py", 12), place("clicks.ipynb", 2, 3)
    ('clicks.py:12', 'clicks.ipynb:cell 3:2')
    """
    within = "" if cell is None else f"cell {cell}:"
    return f"{os.path.basename(file)}:{within}{line}"
