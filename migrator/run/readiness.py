"""How ready a job is to be moved: a class per job, and one figure for all of them.

The figure is ready jobs ÷ all jobs. It says what the tool can do alone, and nothing about effort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from migrator.core import Finding, Readiness, Safety
from migrator.model.jobmodel import Job, Kind, Module, Project, Role

_USED = (Kind.CONTEXT, Kind.STREAM, Kind.UTILS, Kind.STATE_SPEC)


@dataclass(frozen=True)
class JobReport:
    """One job: the module that starts it and those that belong to it."""

    path: str
    modules: tuple[str, ...]
    readiness: Readiness
    uses: int = 0
    """Calls of the DStream API in its modules."""
    supported: int = 0
    """Those of them that no finding calls blocked or unknown."""
    operations: Mapping[Role, Mapping[str, int]] = field(default_factory=dict)
    """How often each source, operator and output occurs."""
    findings: int = 0
    picture: str | None = field(default=None, repr=False)
    """Its stream graph as SVG, where asked for."""


def of_finding(finding: Finding) -> Readiness:
    """What a finding means for its job: an unsafe fix is a choice."""
    if finding.fix is not None and finding.fix.safety is Safety.UNSAFE:
        return max(finding.readiness, Readiness.DECIDE)
    return finding.readiness


def assess(
    project: Project,
    job: Job,
    findings: Mapping[str, Sequence[Finding]],
    *,
    complete: bool = True,
) -> JobReport:
    """A job is as ready as its worst finding; unknown at best if it is not complete: a module of
    it, or one that it imports, could not be handled."""
    own = [finding for path in job.modules for finding in findings.get(path, ())]
    worst = max(map(of_finding, own), default=Readiness.READY)
    if not complete:
        worst = max(worst, Readiness.UNKNOWN)
    uses = supported = 0
    for path in job.modules:
        module = project.modules.get(path)
        if module is not None:
            all_of_it, fine = _counted(module, findings.get(path, ()))
            uses, supported = uses + all_of_it, supported + fine
    return JobReport(
        job.path, job.modules, worst, uses, supported, _operations(project, job), len(own)
    )


def unknown_job(path: str) -> JobReport:
    """A file that mentions DStreams and could not be handled."""
    return JobReport(path, (path,), Readiness.UNKNOWN)


def _operations(project: Project, job: Job) -> dict[Role, dict[str, int]]:
    modules = set(job.modules)
    counts: dict[Role, Counter[str]] = {role: Counter() for role in Role}
    for stream in project.streams:
        if stream.path in modules:
            counts[stream.role][stream.operation] += 1
    return {role: dict(counter.most_common()) for role, counter in counts.items() if counter}


def _counted(module: Module, findings: Sequence[Finding]) -> tuple[int, int]:
    """Uses of the API in a module, and how many of them are supported."""
    uses = [call.node for call in module.calls if call.on in _USED]
    bad = [f.span for f in findings if of_finding(f) >= Readiness.UNKNOWN]
    if not bad:
        return len(uses), len(uses)
    spans = sorted((module.source.span(node) for node in uses), key=lambda s: s.end - s.start)
    hit = set()
    for place in bad:  # a finding belongs to the smallest call around it
        around = (s for s in spans if s.start <= place.start and place.end <= s.end)
        smallest = next(around, None)
        if smallest is not None:
            hit.add(smallest)
    return len(uses), len(uses) - len(hit)
