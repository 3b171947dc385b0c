"""A run over many files: discover, analyse, ask the rules, and what is made of each file.

`scan` reports what comes out of it; `rewrite` hands in a function that makes new bytes. Work is
spread over cores by groups of modules that belong together. Nothing is written here.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import TypeAlias

from migrator.core import Failed, Finding, Readiness, Result, Skipped, Unchanged
from migrator.files.discovery import File, FileRole, discover
from migrator.files.groups import batches, bundles
from migrator.run.analyse_group import GroupResult, Options, given_up, handle
from migrator.run.around import look
from migrator.run.readiness import JobReport

_FILES_PER_PROCESS = 40  # fewer are done before a second process has started


@dataclass(frozen=True)
class Report:
    """What a run found."""

    results: tuple[Result, ...] = ()
    """One per file, ordered by path."""
    jobs: tuple[JobReport, ...] = ()
    ignored: int = 0
    """Findings that comments in the code asked not to hear of."""

    @property
    def findings(self) -> Iterator[Finding]:
        """What remains to be said, file by file."""
        for result in self.results:
            if not isinstance(result, Skipped):
                yield from result.findings

    @property
    def failed(self) -> list[Failed]:
        return [result for result in self.results if isinstance(result, Failed)]

    @property
    def uses(self) -> tuple[int, int]:
        """Uses of the DStream API that are supported, and all of them."""
        return sum(job.supported for job in self.jobs), sum(job.uses for job in self.jobs)

    def jobs_of(self, readiness: Readiness) -> list[JobReport]:
        return [job for job in self.jobs if job.readiness is readiness]


Progress: TypeAlias = "Callable[[int, int], None]"
"""Called with the number of files done since the last call, and of all."""


def check(
    paths: Iterable[str],
    options: Options | None = None,
    *,
    stdin: bytes | None = None,
    processes: int | None = None,
    progress: Progress = lambda done, all_of_them: None,
) -> Report:
    """Handle all files below the paths.

    Raises :class:`~migrator.files.discovery.NotFound`; whatever else goes wrong with a file is its
    result and does not stop the others.
    """
    options = options or Options()
    results: dict[str, Result] = {}
    files: list[File] = []
    around: list[File] = []
    for file in discover(paths, options.config.excludes, stdin=stdin):
        if file.error is not None:
            if file.role is FileRole.JOB or options.around:
                results[file.path] = Failed(file.path, file.error)
        elif file.role is FileRole.AROUND:
            around.append(file)
        else:
            files.append(file)
            results[file.path] = Skipped(file.path)
    groups = bundles(files)
    total = len({file.path for group in groups for file in group})
    jobs: dict[str, JobReport] = {}
    ignored = 0
    for outcome in _outcomes(groups, options, processes or _cores()):
        for result in outcome.results:
            results[result.path] = _together(results[result.path], result)
        for job in outcome.jobs:
            jobs.setdefault(job.path, job)
        ignored += outcome.ignored
        progress(outcome.files, total)
    if options.around and jobs:
        # setup.py is Python, and may pin what jobs run on.
        set_up = [f for f in files if os.path.basename(f.path) == "setup.py" and not f.hinted]
        for file in (*around, *(replace(f, role=FileRole.AROUND) for f in set_up)):
            found, silenced = look(file, options.config)
            results[file.path] = _together(
                results.get(file.path, Skipped(file.path)), Unchanged(file.path, found)
            )
            ignored += silenced
    return Report(
        tuple(results[path] for path in sorted(results)),
        tuple(jobs[path] for path in sorted(jobs)),
        ignored,
    )


def _together(one: Result, other: Result) -> Result:
    """The result for a module that several groups import: what was found for any of them."""
    if isinstance(one, Skipped):
        return other
    if isinstance(one, Unchanged) and isinstance(other, Unchanged):
        return Unchanged(one.path, tuple(dict.fromkeys((*one.findings, *other.findings))))
    return one if not isinstance(one, Unchanged) else other


def _outcomes(
    groups: Sequence[list[File]], options: Options, processes: int
) -> Iterator[GroupResult]:
    count = sum(map(len, groups))
    processes = min(processes, len(groups), count // _FILES_PER_PROCESS)
    if processes <= 1:
        for group in groups:
            yield handle([group], options)
        return
    waiting = batches(groups, max(4 * processes, count // 100))
    context = multiprocessing.get_context(_start_method())
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        futures = {pool.submit(handle, batch, options): batch for batch in waiting}
        broken = []
        for future in as_completed(futures):
            try:
                yield future.result()
            except BrokenExecutor:
                broken.append(futures[future])
    for batch in broken:  # one file took its process down, and the others with it
        for group in batch:
            yield _alone(group, options, context)


def _alone(
    group: list[File], options: Options, context: multiprocessing.context.BaseContext
) -> GroupResult:
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        try:
            return pool.submit(handle, [group], options).result()
        except BrokenExecutor:
            return given_up(group, "could not be analysed: its process died")


def _start_method() -> str:
    """Forking is fast and shares what is imported, but is not safe beside other threads."""
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


__all__ = ["Options", "Progress", "Report", "check"]
