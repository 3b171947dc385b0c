"""Text is encoded or decoded in Python 2 code.

## Why

In Python 2 `str` is bytes, and text and bytes mix. In Python 3 `text.encode()` gives bytes: they
never equal text, cannot be joined with it, and print with a `b` in front. Text has no `decode` at
all. Records of a text source are text.

## What to do

Remove `encode` and `decode` between records and strings, and keep them at the edges: sockets, files
opened as binary, clients that want bytes.
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
    message="{trouble}",
    help="remove it if text is wanted",
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
        match node:
            case ast.Call(func=ast.Attribute(attr=("encode" | "decode") as name)):
                trouble = _TROUBLE[name]
                yield RULE.at(module, node, confidence=Confidence.LIKELY, trouble=trouble)


_TROUBLE = {
    "encode": "this gives bytes in Python 3, which never equal text",
    "decode": "in Python 3 only bytes can be decoded, not text",
}
