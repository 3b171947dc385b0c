"""A whole verification: runs both sides, compares them and judges."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property

import pyspark

import dstream_compat
from dstream_parity.verify.child.facets import Observations
from dstream_parity.verify.child.job import JobFile
from dstream_parity.verify.child.sites import Place
from dstream_parity.verify.child.source import is_moved
from dstream_parity.verify.coordinator.children import ChildProcess, Progress
from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.rewriting import (
    OriginalJob,
    RewrittenJob,
    original,
    rewritten,
)
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs import recording
from dstream_parity.verify.inputs.feeds import Feed, read_feed, split_key
from dstream_parity.verify.judging.judge import judge
from dstream_parity.verify.judging.recorded import judge_recorded
from dstream_parity.verify.judging.verdict import Rules, Verdict, VerdictKind


@dataclass(frozen=True)
class Verification:
    """What the reports show."""

    job: str
    reference: str
    compared: str
    verdict: Verdict
    sources: tuple[str, ...] = ()
    test_file: str | None = None
    """Where the smallest batches that differ were saved."""
    modernised: bool = False
    """The job is Python 2; its modernised form ran."""


_NOT_PYTHON2 = "the reference is the job's modernised form, not Python 2"

Quiet: Progress = lambda side, done, planned: None  # noqa: E731


def verify(
    request: Request, progress: Progress = Quiet, using: Children | None = None
) -> Verification:
    """Verify a job. Never raises Refused: that a job cannot be compared is a verdict, too.

    ``using``: processes to reuse; otherwise new ones are started, which end with the verdict.
    """
    name = os.path.basename(request.job)
    reference = (
        f"legacy engine of pyspark {pyspark.__version__}, Python {platform.python_version()}"
    )
    ours = f"dstream_compat {dstream_compat.__version__}"
    try:
        _check(request)
        with sides(request, using) as both:
            return both.verify(progress)
    except Refused as refused:
        verdict = Verdict(VerdictKind.NOT_COMPARED, str(refused))
        return Verification(name, reference, f"{name} on {ours}", verdict)


def _check(request: Request) -> None:
    if not os.path.isfile(request.job):
        raise Refused(f"{request.job} is not a file")
    if request.prelude is not None and not os.path.isfile(request.prelude):
        raise Refused(f"--prelude {request.prelude}: no such file")
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java") is None and not (home and os.path.exists(f"{home}/bin/java")):
        raise Refused(
            "Spark needs Java, and none was found: install Java 17 or newer, or set JAVA_HOME"
        )
    if request.against == "recorded" and request.sample:
        raise Refused("--sample makes new batches, not recorded ones: leave out --against recorded")
    if request.sample and request.inputs:
        raise Refused(
            "--sample makes the batches of all sources: leave out --input, or give the other "
            "sources samples, too (--sample SOURCE=FILE)"
        )
    if request.against != "recorded" and is_moved(request.job):
        raise Refused(
            f"{os.path.basename(request.job)} has already been rewritten, and the legacy engine "
            "cannot run it: give the original job, and this file as --rewritten"
        )


@dataclass(frozen=True)
class Children:
    """A process per engine, and the directory for everything they write."""

    directory: str
    legacy: ChildProcess
    ours: ChildProcess


@contextmanager
def children(verbose: bool = False) -> Iterator[Children]:
    """Processes that end with the block and can verify any number of jobs."""
    directory = tempfile.mkdtemp(prefix="migrate-verify-")
    made = Children(
        directory,
        ChildProcess("legacy", directory, verbose),
        ChildProcess("ours", directory, verbose),
    )
    grace = 0.0
    try:
        yield made
        grace = 10.0  # otherwise there is an error to report, or an interrupt
    finally:
        made.legacy.close(grace)
        made.ours.close(grace)
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def sides(request: Request, using: Children | None = None) -> Iterator[Sides]:
    """Both sides of a request."""
    if using is not None:
        yield Sides(request, using)
        return
    with children(request.verbose) as made:
        yield Sides(request, made)


class Sides:
    """The two child processes and what they have to run."""

    def __init__(self, request: Request, using: Children) -> None:
        self.request = request
        self._using = using
        self.rules = Rules(
            request.ordered,
            request.against != "recorded",
            request.show_values,
            request.strict,
            request.run_outputs,
        )

    @cached_property
    def _original(self) -> OriginalJob:
        path = os.path.abspath(self.request.job)
        return original(path, os.path.join(self._using.directory, "modernised"))

    def original(self) -> JobFile:
        """The job for the legacy engine."""
        made = self._original
        return self._job(made.file, os.path.abspath(self.request.job), made.places)

    def moved(self) -> tuple[JobFile, RewrittenJob]:
        """The job for our engine, and where it came from."""
        path, given = os.path.abspath(self.request.job), self.request.rewritten
        python2 = given is None and self._original.modernised
        made = rewritten(path, given, os.path.join(self._using.directory, "rewritten"), python2)
        file = os.path.abspath(made.file)
        places = self._original.places_for(file) if python2 else ()
        return self._job(file, path if given is None else file, places), made

    def _job(self, file: str, path: str, places: tuple[Place, ...] = ()) -> JobFile:
        prelude = self.request.prelude and os.path.abspath(self.request.prelude)
        home, first = os.path.dirname(path), os.path.dirname(os.path.abspath(self.request.job))
        shell = self.request.shell or file.endswith(".ipynb")
        beside = None if home == first else first
        return JobFile(file, home, self.request.arguments, prelude, shell, beside, path, places)

    def run_legacy(self, feed: Feed, progress: Progress) -> Observations:
        return self._using.legacy.run(self.original(), feed, self.request, progress)

    def run_ours(self, job: JobFile, feed: Feed, progress: Progress) -> Observations:
        return self._using.ours.run(job, feed, self.request, progress)

    def verify(self, progress: Progress) -> Verification:
        request = self.request
        job, made = self.moved()
        if request.sample:
            from dstream_parity.verify.sampling.examples import verify_examples

            return verify_examples(self, job, made, progress)
        with _importable(job.homes if request.trust else ()):
            feed = read_feed(request.inputs, request.batches, request.trust)
            if request.against == "recorded":
                return self._against_recording(job, made, feed, progress)
        return self.verify_feed(feed, progress, (job, made))

    def verify_feed(
        self,
        feed: Feed,
        progress: Progress = Quiet,
        moved: tuple[JobFile, RewrittenJob] | None = None,
    ) -> Verification:
        """Run and compare on these batches."""
        job, made = moved or self.moved()
        reference = self.run_legacy(feed, _named(progress, "legacy"))
        self._using.ours.launch(job)
        again = None
        if self.request.repeat:
            again = self.run_legacy(feed, _named(progress, "legacy again"))
        ours = self.run_ours(job, feed, _named(progress, "dstream_compat"))
        return self.outcome(made, judge(reference, again, ours, self.rules), reference)

    def outcome(
        self, made: RewrittenJob, verdict: Verdict, seen: Observations, test: str | None = None
    ) -> Verification:
        often = "run twice" if self.request.repeat else "run once and not compared with itself"
        if self.request.sample:
            often = "run twice on the sample and on what differs"
        reference = (
            f"legacy engine of pyspark {pyspark.__version__}, Python {platform.python_version()}, "
            f"{often}"
        )
        compared = f"{made.how}, on dstream_compat {dstream_compat.__version__}"
        name = os.path.basename(self.request.job)
        recorded = self.request.against == "recorded"
        modernised = not (recorded and self.request.rewritten) and self._original.modernised
        verdict = replace(verdict, notes=(*verdict.notes, *made.notes))
        if modernised and not recorded:
            reference += f", running the modernised form of {name}, not Python 2"
            if verdict.kind is not VerdictKind.NOT_COMPARED:
                verdict = replace(verdict, why=f"{verdict.why}; {_NOT_PYTHON2}")
        return Verification(
            name, reference, compared, verdict, tuple(seen.sources), test, modernised=modernised
        )

    def _against_recording(
        self, job: JobFile, made: RewrittenJob, feed: Feed, progress: Progress
    ) -> Verification:
        recorded = self._recorded()
        ours = self.run_ours(job, feed, _named(progress, "dstream_compat"))
        verdict = judge_recorded(recorded, ours, self.rules)
        outcome = self.outcome(made, verdict, ours)
        how = f"what was recorded with Spark {recorded.spark}, Python {recorded.python}"
        return replace(outcome, reference=how)

    def _recorded(self) -> recording.RecordedRun:
        paths = [recording.split(split_key(text)[1])[0] for text in self.request.inputs]
        recordings = {os.path.realpath(path): path for path in paths if path is not None}
        if len(recordings) != 1:
            raise Refused("--against recorded needs one recording with outputs: --input DIRECTORY")
        (path,) = recordings.values()
        recorded = recording.read(path, self.request.trust)
        if not recorded.outputs:
            raise Refused(
                f"--input {path}: the recording has no output stream; record one with "
                "Recording.output"
            )
        return recorded


@contextmanager
def _importable(directories: Sequence[str]) -> Iterator[None]:
    """Recorded elements may be instances of classes in the job's modules."""
    before = list(sys.path)
    sys.path[:0] = directories
    try:
        yield
    finally:
        sys.path[:] = before


def _named(progress: Progress, name: str) -> Callable[[str, int, int], None]:
    return lambda side, done, planned: progress(name, done, planned)
