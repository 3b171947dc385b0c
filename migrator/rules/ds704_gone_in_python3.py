"""Something that Python 3 does not have.

## Why

The file can be parsed as Python 3 (or was modernised with `--python2`), but it uses a name, a
method or a module of Python 2. Spark 4 runs on Python 3 only.

## What to do

Files that Python 3 can parse are never modernised, so change these by hand: `unicode` is `str`,
`xrange` is `range`, `reduce` is in `functools`, `iteritems()` is `items()`, `print >>f, x` is
`print(x, file=f)`, `ConfigParser` is `configparser`, `urllib2` is `urllib.request`; `reload(sys)`
and `setdefaultencoding` can go.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._python2 import gone
from migrator.text.python2 import ModernisedSource

RULE = Rule(
    "DS704",
    "gone-in-python3",
    "Something that Python 3 does not have",
    Severity.ERROR,
    Readiness.DECIDE,
    message="Python 3 has no {name}",
    help="use its Python 3 replacement",
)

_HEAD = "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n"

VALID = [
    "for i in xrange(3):\n    print(i)\n",  # nothing to do with DStreams
    _HEAD + "try:\n    unicode\nexcept NameError:\n    unicode = str\n",
    _HEAD + "if sys.version_info[0] == 2:\n    reload(sys)\n",
    _HEAD + "from functools import reduce\nprint(reduce(f, [1]))\n",
]
INVALID = [
    Example(_HEAD + "for i in xrange(3):\n    print(i)\n", lines=(3,)),
    Example(_HEAD + "import sys\nprint >>sys.stderr, 1\n", lines=(4,)),
    Example(_HEAD + "for k, v in d.iteritems():\n    print(k)\n", lines=(3,)),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    if not module.uses_streams and not isinstance(module.source, ModernisedSource):
        return
    for node, name in gone(module):
        confidence = Confidence.LIKELY if name in ("file", "long") else Confidence.SURE
        yield RULE.at(module, node, confidence=confidence, name=name)
