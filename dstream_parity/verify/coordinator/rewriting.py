"""The jobs that run: the user's own, modernised where it is Python 2, and the rewritten one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dstream_parity.verify.child.job import compiled, no_python3
from dstream_parity.verify.errors import Refused

if TYPE_CHECKING:
    from migrator.core import Finding, Result

_NAMED = 5  # places of doubt that a note names


@dataclass(frozen=True)
class Original:
    """The job for the legacy engine; the file itself, unless that is Python 2."""

    file: str
    modernised: bool = False
    lines: tuple[int, ...] = ()
    """Where modernised: the line of the user's file for every line of this one."""

    def lines_for(self, file: str) -> tuple[int, ...]:
        """The same for what was made of this one, as long as no line was added or taken out."""
        with open(file, "rb") as opened:
            return self.lines if len(opened.read().splitlines()) == len(self.lines) else ()


@dataclass(frozen=True)
class Rewritten:
    """A file, and how it came about in words for the report."""

    file: str
    how: str
    notes: tuple[str, ...] = ()


def original(job: str, directory: str) -> Original:
    """The job as Python 3; what has to be written for it goes into ``directory``."""
    try:
        compiled(job)
        return Original(job)
    except Refused as refused:
        objection = refused
    if not os.path.isfile(job):
        raise objection
    from migrator.text.documents import open_document
    from migrator.text.python2 import Modernised
    from migrator.text.source import Unreadable

    with open(job, "rb") as file:
        raw = file.read()
    try:
        document = open_document(job, raw, python2=True)
        made = _write(document.render([]), job, directory)
    except Unreadable:
        raise no_python3(job, objection, "neither Python 3 nor Python 2") from None
    try:
        compiled(made)
    except Refused:
        raise objection from None
    lines = tuple(document.lines) if isinstance(document, Modernised) else ()
    return Original(made, True, lines)


def rewritten(job: str, given: str | None, directory: str, python2: bool = False) -> Rewritten:
    """The rewritten job; the original is left alone, a new file goes into ``directory``."""
    name = os.path.basename(job)
    if given is not None:
        if not os.path.isfile(given):
            raise Refused(f"--rewritten {given}: there is no such file")
        compiled(given)
        return Rewritten(given, f"{os.path.basename(given)} (given)")
    from migrator.core import Changed, Failed

    result = _moved(job, python2)
    if isinstance(result, Failed):
        raise Refused(
            f"`migrate rewrite` could not rewrite {name} ({result.reason}): rewrite it by hand and "
            "give --rewritten FILE"
        )
    option = " --python2" if python2 else ""
    made = Rewritten(job, f"{name} as `migrate rewrite{option}` rewrites it")
    if isinstance(result, Changed):
        made = replace(made, file=_write(result.after, job, directory))
    findings = getattr(result, "findings", ())
    return replace(made, notes=_doubts(name, findings) if python2 else ())


def _moved(job: str, python2: bool) -> Result:
    """What `migrate rewrite` makes of the file, with the settings it would find for it."""
    from functools import partial

    from migrator.core import Skipped
    from migrator.run import config
    from migrator.run.rewriting import rewrite
    from migrator.run.running import Options, check

    try:
        settings = config.find([job])
    except config.BadConfig as error:
        raise Refused(f"`migrate rewrite` cannot be asked: {error}") from None
    handler = partial(rewrite, unsafe=False)
    options = Options(config=settings, handler=handler, python2=python2, around=False)
    results = check([job], options, processes=1).results
    return results[0] if results else Skipped(job)


def _doubts(name: str, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Where Python 3 may give something else than Python 2 did: no comparison here shows that."""
    found = [f"{name}:{each.line} ({each.code})" for each in findings if each.code[:3] == "DS7"]
    places = list(dict.fromkeys(found))
    if not places:
        return ()
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return (
        f"Python 3 may mean something else than Python 2 did at {', '.join(places[:_NAMED])}{more};"
        " `migrate explain CODE` says what",
    )


def _write(content: bytes, job: str, directory: str) -> str:
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, os.path.basename(job))
    with open(path, "wb") as file:
        file.write(content)
    return path
