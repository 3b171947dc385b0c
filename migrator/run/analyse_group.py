"""What is done with a group of files in one process: open, analyse, ask the rules, hand on."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from migrator import rules
from migrator.core import Failed, Finding, Result, Unchanged
from migrator.files.discovery import File
from migrator.files.groups import needed
from migrator.model.inference import analyse
from migrator.model.jobmodel import Job, Module, Project
from migrator.rules import ds108_partly_movable as ds108
from migrator.run import readiness
from migrator.run.config import Config, ignored, unwanted
from migrator.run.locating import located
from migrator.run.readiness import JobReport
from migrator.text.documents import Document
from migrator.text.opening import open_document
from migrator.text.source import PythonSource, Unreadable
from migrator.text.words import stem, words

Handler: TypeAlias = "Callable[[Document, Sequence[Finding]], Result]"
"""What becomes of a file. Findings come with places in the document's source and leave with places
in the file (:func:`~migrator.run.locating.located`)."""


def unchanged(document: Document, findings: Sequence[Finding]) -> Result:
    """Only look."""
    return Unchanged(document.path, located(document, findings))


@dataclass(frozen=True)
class Options:
    """How files are handled. Goes to other processes, so it holds only what can be pickled."""

    config: Config = field(default_factory=Config)
    handler: Handler = unchanged
    python2: bool = False
    around: bool = True
    """Also look at what lies around jobs."""
    draw: Callable[[Project, Job], str] | None = None
    """Draws a job's stream graph."""


@dataclass(frozen=True)
class GroupResult:
    """What came of some groups of files."""

    results: tuple[Result, ...]
    jobs: tuple[JobReport, ...]
    ignored: int
    files: int


TOO_DEEP = "is nested too deeply to be analysed"


def handle(groups: Sequence[Sequence[File]], options: Options) -> GroupResult:
    """The outcome of some groups; never raises on account of a file."""
    outcomes = [_handle(group, options) for group in groups]
    return GroupResult(
        tuple(result for outcome in outcomes for result in outcome.results),
        tuple(job for outcome in outcomes for job in outcome.jobs),
        sum(outcome.ignored for outcome in outcomes),
        sum(outcome.files for outcome in outcomes),
    )


def given_up(group: Sequence[File], reason: str) -> GroupResult:
    """The outcome of a group that could not be handled."""
    results = tuple(Failed(file.path, reason) for file in group)
    jobs = tuple(readiness.unknown_job(file.path) for file in group if file.surely_a_job)
    return GroupResult(results, jobs, 0, len(group))


def _handle(group: Sequence[File], options: Options) -> GroupResult:
    failed: dict[str, str] = {}
    documents: dict[str, Document] = {}
    for file in group:
        try:
            documents[file.path] = open_document(file.path, file.raw, options.python2)
        except Unreadable as error:
            failed[file.path] = str(error)
        except Exception as error:
            failed[file.path] = _bug(error, "opening it")
    project = _analysed(documents, failed, _named_elsewhere(group, failed))
    failed.update(project.unreadable)
    project = replace(project, unreadable=failed)
    found, silenced = _found(project, failed, options)
    results: dict[str, Result] = {}
    for path, findings in found.items():
        try:
            results[path] = options.handler(documents[path], findings)
        except Unreadable as error:
            failed[path] = str(error)
        except RecursionError:
            failed[path] = TOO_DEEP
        except Exception as error:
            failed[path] = _bug(error, "handling it")
    results.update({path: Failed(path, reason) for path, reason in failed.items()})
    jobs = _jobs(group, project, found, failed, options)
    return GroupResult(tuple(results.values()), jobs, silenced, len(group))


def _found(
    project: Project, failed: dict[str, str], options: Options
) -> tuple[dict[str, list[Finding]], int]:
    """The findings that are wanted, by path, and how many comments have silenced; adds to
    ``failed``."""
    asked: dict[str, list[Finding]] = {}
    wanted: dict[str, _Wanted] = {}
    for path, module in project.modules.items():
        if path in failed:
            continue
        try:
            asked[path] = _asked(module, project)
            wanted[path] = _Wanted(options.config, unwanted(module.source))
        except Unreadable as error:
            failed[path] = str(error)
        except RecursionError:
            failed[path] = TOO_DEEP
        except _RuleFailed as error:
            failed[path] = str(error)
    staying = {path for path in asked if wanted[path].keeps_back(asked[path])}
    for path in asked if staying else ():
        asked[path] += ds108.beside(project.modules[path], project, staying)
    kept = {path: [f for f in asked[path] if options.config.keeps(f)] for path in asked}
    found = {path: [f for f in kept[path] if not wanted[path].silences(f)] for path in kept}
    return found, sum(len(kept[path]) - len(found[path]) for path in kept)


@dataclass(frozen=True)
class _Wanted:
    """What is asked for in one file, by the settings and by its comments."""

    config: Config
    lines: Mapping[int, tuple[str, ...]]

    def silences(self, finding: Finding) -> bool:
        return bool(self.lines) and ignored(finding, self.lines)

    def keeps_back(self, findings: Sequence[Finding]) -> bool:
        """Whether an import stays that would be moved in other files."""
        return self.config.wants("DS101") and any(
            f.code == "DS101" and (not self.config.keeps(f) or self.silences(f)) for f in findings
        )


def _named_elsewhere(group: Sequence[File], failed: dict[str, str]) -> set[str]:
    """Files that may be loaded by one that the analysis does not see."""
    unseen = [words(file.raw) for file in group if file.path in failed]
    return {
        file.path
        for file in group
        if file.named_elsewhere or any(stem(file.path) in found for found in unseen)
    }


def _analysed(documents: dict[str, Document], failed: dict[str, str], named: set[str]) -> Project:
    """The model of all that can be modelled; adds to ``failed`` what cannot."""
    sources = {path: document.source for path, document in documents.items()}
    try:
        return analyse(sources.values(), named)
    except Exception:
        if "MIGRATE_TRACEBACK" in os.environ:
            raise
    good: dict[str, PythonSource] = {}
    for path, source in sources.items():  # which one is it?
        try:
            analyse([source])
            good[path] = source
        except RecursionError:
            failed[path] = TOO_DEEP
        except Exception as error:
            failed[path] = _bug(error, "analysing it")
    try:
        return analyse(good.values(), named)
    except Exception as error:
        failed.update({path: _bug(error, "analysing it with others") for path in good})
        return Project({})


class _RuleFailed(Exception):
    pass


def _asked(module: Module, project: Project) -> list[Finding]:
    """The findings of all rules."""
    try:
        return rules.findings(module, project)
    except RecursionError:
        raise
    except Exception as error:
        reason = _bug(error, "checking it")
    for code, rule in rules.modules().items():  # which one is it?
        try:
            if hasattr(rule, "check"):
                list(rule.check(module, project))
        except Exception as error:
            raise _RuleFailed(_bug(error, f"checking it for {code}")) from None
    raise _RuleFailed(reason)


def _jobs(
    group: Sequence[File],
    project: Project,
    found: dict[str, list[Finding]],
    failed: dict[str, str],
    options: Options,
) -> tuple[JobReport, ...]:
    jobs = []
    for job in project.jobs:
        if job.library:
            continue
        complete = not failed or needed(job.modules, group).isdisjoint(failed)
        report = readiness.assess(project, job, found, complete=complete)
        jobs.append(replace(report, picture=_picture(project, job, options)))
    known = {path for job in project.jobs if not job.library for path in job.modules}
    jobs += [
        readiness.unknown_job(file.path)
        for file in group
        if (file.path in failed or _has_gaps(project, file.path))
        and file.path not in known
        and file.surely_a_job
    ]
    return tuple(jobs)


def _has_gaps(project: Project, path: str) -> bool:
    module = project.modules.get(path)
    return module is not None and bool(module.source.gaps)


def _picture(project: Project, job: Job, options: Options) -> str | None:
    if options.draw is None:
        return None
    try:
        return options.draw(project, job)
    except Exception:  # a report without a picture is better than none
        if "MIGRATE_TRACEBACK" in os.environ:
            raise
        return None


def _bug(error: Exception, doing: str) -> str:
    """A sentence for what should not happen. Exceptions may quote the user's code, so only their
    type is told."""
    if "MIGRATE_TRACEBACK" in os.environ:
        raise error
    return f"could not be handled: {doing} failed inside the migrator ({type(error).__name__})"
