"""The two jobs that run: the user's own, modernised if it is Python 2, and the rewritten one."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial

from dstream_parity.verify.child.sites import Place
from dstream_parity.verify.child.source import compiled, not_python3, places_of, read_source
from dstream_parity.verify.errors import Refused
from migrator.core import Changed, Failed, Finding, Result, Skipped
from migrator.run import config
from migrator.run.rewriting import rewrite
from migrator.run.running import Options, check
from migrator.text.opening import open_document
from migrator.text.source import Unreadable

_NAMED = 5  # doubtful places that a note names


@dataclass(frozen=True)
class OriginalJob:
    """The job for the legacy engine: the file itself, unless it is Python 2."""

    file: str
    modernised: bool = False
    places: tuple[Place, ...] = ()
    """If modernised: the user's place for every line of this file."""

    def places_for(self, file: str) -> tuple[Place, ...]:
        """The same for what was made of this one, as long as no line was added or removed."""
        return self.places if read_source(file).length == len(self.places) else ()


@dataclass(frozen=True)
class RewrittenJob:
    """The job for our engine, and where it came from, in words for the report."""

    file: str
    how: str
    notes: tuple[str, ...] = ()


def original(job: str, directory: str) -> OriginalJob:
    """The job as Python 3; a modernised form is written into ``directory``."""
    try:
        compiled(job)
        return OriginalJob(job)
    except Refused as refused:
        objection = refused
    if not os.path.isfile(job):
        raise objection
    with open(job, "rb") as file:
        raw = file.read()
    try:
        document = open_document(job, raw, python2=True)
        made = _write(document.render([]), job, directory)
    except Unreadable:
        line = getattr(objection, "line", None)
        raise not_python3(job, "neither Python 3 nor Python 2", line) from None
    try:
        compiled(made)
    except Refused:
        raise objection from None
    return OriginalJob(made, True, places_of(document))


def rewritten(job: str, given: str | None, directory: str, python2: bool = False) -> RewrittenJob:
    """The rewritten job, written into ``directory``; the original is left alone."""
    name = os.path.basename(job)
    if given is not None:
        if not os.path.isfile(given):
            raise Refused(f"--rewritten {given}: no such file")
        compiled(given)
        return RewrittenJob(given, f"{os.path.basename(given)} (given)")

    result = _moved(job, python2)
    if isinstance(result, Failed):
        raise Refused(
            f"`migrate rewrite` could not rewrite {name} ({result.reason}): rewrite it by hand and "
            "pass it with --rewritten FILE"
        )
    option = " --python2" if python2 else ""
    made = RewrittenJob(job, f"{name} as `migrate rewrite{option}` rewrites it")
    if isinstance(result, Changed):
        made = replace(made, file=_write(result.after, job, directory))
    findings = getattr(result, "findings", ())
    return replace(made, notes=_doubts(name, findings) if python2 else ())


def _moved(job: str, python2: bool) -> Result:
    """What `migrate rewrite` makes of the file, with the settings it would find."""
    try:
        settings = config.find([job])
    except config.BadConfig as error:
        raise Refused(f"`migrate rewrite` cannot run: {error}") from None
    handler = partial(rewrite, unsafe=False)
    options = Options(config=settings, handler=handler, python2=python2, around=False)
    results = check([job], options, processes=1).results
    return results[0] if results else Skipped(job)


def _doubts(name: str, findings: tuple[Finding, ...]) -> tuple[str, ...]:
    """Where Python 3 may give other results than Python 2 did, which no comparison here shows."""
    found = [f"{name}:{each.line} ({each.code})" for each in findings if each.code[:3] == "DS7"]
    places = list(dict.fromkeys(found))
    if not places:
        return ()
    more = f" and {len(places) - _NAMED} more" if len(places) > _NAMED else ""
    return (
        "Python 3 may give other results than Python 2 did at "
        f"{', '.join(places[:_NAMED])}{more}; `migrate explain CODE` says why",
    )


def _write(content: bytes, job: str, directory: str) -> str:
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, os.path.basename(job))
    with open(path, "wb") as file:
        file.write(content)
    return path
