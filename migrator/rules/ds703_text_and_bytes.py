"""Text is encoded or decoded in Python 2 code.

## Why

In Python 2 `str` is bytes, and text and bytes mix. In Python 3 `text.encode()` gives bytes,
which equal no text, join with no text and print with a `b` in front; text has no `decode` at
all. Records of a text source are text.

## What to do

Leave out `encode` and `decode` between records and strings, and keep them at the border:
sockets, files opened as binary, clients that want bytes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._python2 import is_python2

RULE = Rule(
    "DS703",
    "text-and-bytes",
    "Text and bytes are different things in Python 3",
    Severity.WARNING,
    Readiness.DECIDE,
)

VALID = [
    'print(line.encode("utf-8"))\n',
    'name = unicode("x")\nprint(name)\n',
]
INVALID = [
    Example('n = long(1)\nwords = lines.map(lambda x: x.encode("ascii", "ignore"))\n', lines=(2,)),
    Example('n = long(1)\ntext = line.decode("utf-8")\n', lines=(2,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    source = module.source
    if (".encode(" not in source.text and ".decode(" not in source.text) or not is_python2(module):
        return
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "encode":
            message = "this gives bytes in Python 3, which are equal to no text"
        elif node.func.attr == "decode":
            message = "text has no decode in Python 3; only bytes have"
        else:
            continue
        yield RULE.finding(
            source,
            node,
            message,
            "leave it out where text is wanted",
            confidence=Confidence.LIKELY,
        )
