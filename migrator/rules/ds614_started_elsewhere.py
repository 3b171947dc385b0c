"""start() is called in another process than the one that made the context.

## Why

The legacy engine lives in the JVM: a child process may call `start()`, but `foreachRDD` and
`transform` functions are called in the process that made the context, and the job continues when
the child ends. `dstream_compat` runs them in the child: the parent does not see what they change (a
list of results, a counter), and the job ends with the child.

## What to do

Start a thread instead of a process, `threading.Thread(target=ssc.start)`: then everything is in one
process, as before. Or make the whole job, including its SparkContext, in the function that the
child runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrator.core import Confidence, Example, Finding, Readiness, Rule, Severity
from migrator.model.jobmodel import Call, Context, Kind, Module, Project
from migrator.rules._examples import HEAD

RULE = Rule(
    "DS614",
    "started-elsewhere",
    "start() is called in another process than the one that made the context",
    Severity.WARNING,
    Readiness.DECIDE,
    message="start() and all batch functions run in a child process; the legacy engine runs batch "
    "functions in the process that made the context",
    help="start a thread instead, or make the whole job in the child",
    differences=("D63",),
)

VALID = [
    HEAD + "pairs.pprint()\nthreading.Thread(target=ssc.start).start()\n",
    """\
import multiprocessing
from pyspark import SparkContext
from pyspark.streaming import StreamingContext

def run():
    ssc = StreamingContext(SparkContext(), 2)
    ssc.socketTextStream("localhost", 9999).pprint()
    ssc.start()
    ssc.awaitTermination()

multiprocessing.Process(target=run).start()
""",
]
INVALID = [
    Example(
        "from multiprocessing import Process\n"
        + HEAD
        + """\
pairs.pprint()

def run():
    ssc.start()
    ssc.awaitTermination()

Process(target=run).start()
""",
        lines=(9,),
    )
]


def check(module: Module, project: Project) -> Iterator[Finding]:
    for call in module.calls_of(Kind.CONTEXT, "start"):
        if call.elsewhere and any(
            _is_made_here(project, context) for context in _started(call, module, project)
        ):
            yield RULE.at(module, call, confidence=Confidence.LIKELY)


def _started(call: Call, module: Module, project: Project) -> Iterator[Context]:
    place = module.path, call.node.lineno
    return (context for context in project.contexts if place in context.started)


def _is_made_here(project: Project, context: Context) -> bool:
    """Whether it is made, as far as is known, and not by the child."""
    module = project.modules.get(context.path)
    return module is not None and any(
        not call.elsewhere
        for call in module.calls_of(Kind.CONTEXT)
        if (call.node.lineno, call.node.col_offset + 1) == (context.line, context.column)
        and call.receiver is None
    )
