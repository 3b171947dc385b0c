"""How rules are tested: source in, findings or new source out, all in memory.

    check_noop("DS310", source)             DS310 finds nothing
    check_found("DS310", source, 4, 7)      DS310 finds something on these lines and no others
    check_rewritten(before, after)          what `migrate rewrite` makes of it

A source is a string (indentation that all lines share is dropped), or a mapping of paths to
strings for a job of several modules; lines are then given as ``("jobs/main.py", 4)``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TypeAlias

from migrator import rules
from migrator.core import Changed, Finding, by_place
from migrator.model.jobmodel import Project
from migrator.text.opening import open_document
from migrator.text.source import PythonSource

Code: TypeAlias = "str | Mapping[str, str]"
Place: TypeAlias = "int | tuple[str, int]"

JOB = "job.py"

HEAD = """\
from pyspark import SparkContext
from pyspark.streaming import StreamingContext
sc = SparkContext()
ssc = StreamingContext(sc, 2)
lines = ssc.socketTextStream("localhost", 9999)
pairs = lines.map(lambda line: (line, 1))
"""
"""Six lines that most examples start with; what is tested comes from line 7 on."""


def sources(code: Code) -> dict[str, PythonSource]:
    files = {JOB: code} if isinstance(code, str) else code
    return {
        path: open_document(path, textwrap.dedent(text).encode()).source
        for path, text in files.items()
    }


def analysed(code: Code) -> Project:
    """The model of a job; every module has to parse."""
    from migrator.model.inference import analyse

    return analyse(sources(code).values())


def findings(code: Code, rule: str | None = None) -> list[Finding]:
    """What the rules (or one of them) find, in the order of the source."""
    project = analysed(code)
    found = [f for module in project.modules.values() for f in rules.findings(module, project)]
    return [finding for finding in by_place(found) if rule in (None, finding.code)]


def check_noop(rule: str, code: Code) -> None:
    """The rule has nothing to say."""
    found = findings(code, rule)
    assert not found, [f"{f.path}:{f.line}: {f.message}" for f in found]


def check_found(rule: str, code: Code, *places: Place) -> list[Finding]:
    """The rule finds something exactly there; returns the findings for a closer look."""
    found = findings(code, rule)
    expected = [place if isinstance(place, tuple) else (JOB, place) for place in places]
    assert [(f.path, f.line) for f in found] == expected, [f.message for f in found]
    for finding in found:
        assert finding.message.rstrip(".") == finding.message != "", finding.message
        assert finding.help.rstrip(".") == finding.help != "", finding.help
    return found


def rewritten(code: str, *, unsafe: bool = False, path: str = JOB) -> str:
    """The new text of a file, or the old one if nothing is to be done."""
    from migrator.model.inference import analyse
    from migrator.run.rewriting import rewrite

    document = open_document(path, textwrap.dedent(code).encode())
    project = analyse([document.source])
    module = project.modules[path]
    result = rewrite(document, rules.findings(module, project), unsafe=unsafe)
    return (result.after if isinstance(result, Changed) else document.raw).decode()


def check_rewritten(before: str, after: str, *, unsafe: bool = False) -> None:
    """The whole pipeline makes ``after`` of it, and nothing more when run again."""
    after = textwrap.dedent(after)
    assert rewritten(before, unsafe=unsafe) == after
    assert rewritten(after, unsafe=unsafe) == after, "a second run changes it again"
