"""Something is imported from `pyspark.streaming` and never used.

## Why

The import alone keeps the file from running on a Spark without `pyspark.streaming`.

## What to do

Let `migrate rewrite` delete it; if it is the only statement of a block, it becomes `pass`. An
import that other code may rely on is not deleted but moved by [DS101](DS101.md): in `__init__.py`,
in notebooks, in `__all__`, in a `try` that tests whether something is installed, with `noqa` on its
line, in files that look names up at run time (`globals()`, `eval` and the like), where a doctest
reads the name, and in modules that another file of the run mentions without an import that can be
followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Example, Finding, Fix, Readiness, Rule, Safety, Severity
from migrator.model.jobmodel import Module, Project
from migrator.rules._moves import plans

RULE = Rule(
    "DS102",
    "unused-legacy-import",
    "pyspark.streaming is imported and never used",
    Severity.INFO,
    Readiness.READY,
    message="pyspark.streaming is imported and never used",
    help="delete the import",
    fix=Safety.SAFE,
)

VALID = [
    "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n",
    'from pyspark.streaming import DStream\n__all__ = ["DStream"]\n',
    "try:\n    import pyspark.streaming\nexcept ImportError:\n    raise SystemExit(1)\n",
    "from pyspark.streaming import DStream  # noqa: F401\n",
    "import pyspark.streaming\nsc = pyspark.SparkContext()\n",
]
INVALID = [
    Example(
        "import os\nfrom pyspark.streaming import StreamingContext\nprint(os.sep)\n",
        "import os\nprint(os.sep)\n",
        lines=(2,),
    ),
    Example(
        "def f():\n    from pyspark.streaming import DStream\n",
        "def f():\n    pass\n",
        lines=(2,),
    ),
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for plan in plans(module):
        if plan.unused:
            yield RULE.at(module, plan.node, fix=Fix(plan.edits))
