"""cache and persist on a stream.

## Why

They are accepted and have no effect: a stream is computed once per batch anyway. After a
`transform` they do what they always did.

## What to do

Nothing; the calls may stay.
"""

from __future__ import annotations

from migrator.core import Example
from migrator.model.jobmodel import Kind
from migrator.rules._examples import HEAD
from migrator.rules._notes import Note, calls

RULE = Note(
    "DS318",
    "cache-saves-nothing",
    "cache and persist on a stream no longer have an effect",
    on=calls(Kind.STREAM, "cache", "persist"),
    message="{method} is accepted but has no effect, since a stream is computed once per batch",
    help="nothing to do",
    differences=("D26",),
)

VALID = [HEAD + "pairs.foreachRDD(lambda rdd: rdd.cache().count())\n"]
INVALID = [Example(HEAD + "pairs.cache().pprint()\n", lines=(5,))]
