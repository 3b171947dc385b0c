"""``--sample``: batches made from the lines of a file, shrunk where the engines differ."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dstream_parity.base.shrinking import fewer, shrunk
from dstream_parity.verify.child.facets import Observations
from dstream_parity.verify.child.job import JobFile
from dstream_parity.verify.coordinator.children import Progress
from dstream_parity.verify.coordinator.rewriting import RewrittenJob
from dstream_parity.verify.coordinator.verification import Sides, Verification
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import ANY, Feed, FeedInput, lines_of, split_key
from dstream_parity.verify.judging.judge import judge
from dstream_parity.verify.judging.verdict import OutputVerdict, Verdict, VerdictKind
from dstream_parity.verify.judging.wording import claim
from dstream_parity.verify.report import write
from dstream_parity.verify.sampling.saved_test import Sample, test_source
from dstream_parity.verify.words import many

_BATCHES = 6  # at most, in an example
_LINES = 6  # at most, of a source in a batch
_SHRINKING = 180.0  # seconds; then the smallest found so far will do

Batches = tuple[tuple[tuple[int, ...], ...], ...]
"""Numbers of lines, by batch and source."""


def verify_examples(
    both: Sides, job: JobFile, made: RewrittenJob, progress: Progress
) -> Verification:
    """Try examples until one differs; raises Refused if there is nothing to compare."""
    try:
        import hypothesis  # noqa: F401
    except ImportError:
        raise Refused("--sample needs hypothesis: pip install hypothesis") from None
    samples = [_read(text) for text in both.request.sample]
    seed = both.request.seed
    seed = random.randrange(2**32) if seed is None else seed
    search = _Search(both, job, samples, progress, seed)
    first = search.explore()
    if first.kind is VerdictKind.NOT_COMPARED:
        return both.outcome(made, first, search.reference)
    found = (search.explored, first) if first.kind is VerdictKind.DIFFERENT else search.search()
    while found is not None:
        batches, verdict = search.shrink(*found)
        if search.holds(verdict):
            break
        found = search.search()  # without the outputs that turned out to depend on chance
    else:
        return both.outcome(made, search.summary(first), search.reference)
    path = _save(both, search, batches)
    size = sum(len(lines) for batch in batches for lines in batch)
    why = f"{verdict.why}; the smallest example found: {many(len(batches), 'batch')}, "
    why += many(size, "line")
    notes = (*verdict.notes, f"found with --seed {search.seed}")
    smallest = replace(verdict, why=why, notes=notes)
    return both.outcome(made, smallest, search.reference, path)


def _read(text: str) -> Sample:
    key, path = split_key(text)
    try:
        with open(path, "rb") as file:
            lines = lines_of(file.read())
    except OSError as error:
        raise Refused(f"--sample {path}: {error.strerror}") from None
    if not lines:
        raise Refused(f"--sample {path}: the file is empty")
    return Sample(key, path, tuple(lines))


@dataclass
class _Search:
    both: Sides
    job: JobFile
    samples: Sequence[Sample]
    progress: Progress
    seed: int
    reference: Observations = field(default_factory=Observations)
    explored: Batches = ()
    tried: dict[Batches, Verdict] = field(default_factory=dict)
    unstable: dict[int, str] = field(default_factory=dict)
    """Outputs that differ from themselves on the legacy engine, and where: never claimed again."""
    _fed: Sequence[tuple[int, Sample]] = ()
    """The sources, by number, and what each is fed from."""

    def explore(self) -> Verdict:
        """All lines of the samples in three batches, to learn the job's sources, too."""
        inputs = []
        alone = sum(sample.key is None for sample in self.samples) == 1
        for sample in self.samples:
            numbers = tuple(range(len(sample.lines)))
            parts = tuple(numbers[at::3] for at in range(3))
            names = () if sample.key is None else (sample.key,)
            names = (ANY,) if alone and not names else names
            inputs.append(FeedInput(names, "lines", tuple(sample.take(part) for part in parts)))
        feed = Feed(tuple(inputs))
        self.reference = self._legacy(feed)
        again = self._legacy(feed)
        ours = self.both.run_ours(self.job, feed, _silent)
        self._fed = [(number, self.samples[at]) for number, at in self.reference.fed.items()]
        if not self._fed:
            raise Refused("--sample has nothing to feed: the job makes its own batches (a queue)")
        columns = [range(len(sample.lines)) for _, sample in self._fed]
        self.explored = tuple(tuple(tuple(column[at::3]) for column in columns) for at in range(3))
        return self._judged(self.reference, again, ours)

    def _judged(
        self, reference: Observations, again: Observations | None, ours: Observations
    ) -> Verdict:
        verdict = judge(reference, again, ours, self.both.rules, self.unstable)
        self.unstable |= {o.output.number: o.unstable for o in verdict.outputs if o.unstable}
        return verdict

    def sample_of(self, at: int) -> Sample:
        """The sample that feeds the source at that place."""
        return self._fed[at][1]

    def key_of(self, at: int) -> str:
        return str(self._fed[at][0])

    @property
    def width(self) -> int:
        return len(self._fed)

    def search(self) -> tuple[Batches, Verdict] | None:
        """Batches on which the engines differ, if Hypothesis comes upon some."""
        import hypothesis
        from hypothesis import strategies as st

        request = self.both.request
        orders = [self.sample_of(at).by_length for at in range(self.width)]
        columns = [st.lists(st.sampled_from(order), max_size=_LINES) for order in orders]
        batches = st.lists(st.tuples(*columns), min_size=1, max_size=_BATCHES)
        found: list[tuple[Batches, Verdict]] = []

        @hypothesis.seed(self.seed)
        @hypothesis.settings(
            max_examples=request.examples,
            deadline=None,
            database=None,  # it would hold what the samples hold
            phases=(hypothesis.Phase.generate,),  # every step costs a run: see shrink
            suppress_health_check=list(hypothesis.HealthCheck),
            report_multiple_bugs=False,
            verbosity=hypothesis.Verbosity.quiet,
        )
        @hypothesis.given(batches)
        def check(drawn: list[tuple[list[int], ...]]) -> None:
            example: Batches = tuple(tuple(map(tuple, batch)) for batch in drawn)
            verdict = self.try_out(example)
            if verdict.kind is VerdictKind.DIFFERENT:
                found.append((example, verdict))
                raise _Different

        try:
            check()
        except _Different:
            return found[-1]
        return None

    def holds(self, verdict: Verdict) -> bool:
        """Whether there is a difference, and not only of what has since differed from itself."""
        found = [o.output.number for o in verdict.outputs if o.difference is not None]
        real = not found or any(number not in self.unstable for number in found)
        return verdict.kind is VerdictKind.DIFFERENT and real

    def shrink(self, example: Batches, verdict: Verdict) -> tuple[Batches, Verdict]:
        """A smaller example that differs, too; the large cuts are tried first."""
        orders = [self.sample_of(at).by_length for at in range(self.width)]
        verdicts = {example: verdict}

        def smaller(found: Batches) -> Iterator[Batches]:
            for candidate in smaller_examples(found, verdicts[found], orders):
                if not self.holds(verdicts[found]):
                    return
                yield candidate

        def failing(asked: Sequence[Batches]) -> list[bool]:
            verdicts.update((each, self.try_out(each)) for each in asked)
            return [verdicts[each].kind is VerdictKind.DIFFERENT for each in asked]

        smallest = shrunk(example, smaller, failing, seconds=_SHRINKING)
        return smallest, verdicts[smallest]

    def try_out(self, example: Batches) -> Verdict:
        known = self.tried.get(example)
        if known is None or (known.kind is VerdictKind.DIFFERENT and not self.holds(known)):
            self.progress("examples", len(self.tried), self.both.request.examples)
            feed = self.feed_of(example)
            reference = self._legacy(feed)
            ours = self.both.run_ours(self.job, feed, _silent)
            verdict = self._judged(reference, None, ours)
            if (
                verdict.kind is VerdictKind.DIFFERENT
            ):  # or does the legacy engine differ from itself?
                verdict = self._judged(reference, self._legacy(feed), ours)
            self.tried[example] = verdict
        return self.tried[example]

    def feed_of(self, example: Batches) -> Feed:
        inputs = []
        for at in range(self.width):
            sample = self.sample_of(at)
            lines = tuple(sample.take(batch[at]) for batch in example)
            inputs.append(FeedInput((self.key_of(at),), "lines", lines))
        return Feed(tuple(inputs))

    def summary(self, first: Verdict) -> Verdict:
        """The verdict on all examples together."""
        every = [first, *self.tried.values()]
        outputs = [self._all(every, n) for n in range(len(first.outputs))]
        claimed = [output for output in outputs if output.unstable is None]
        notes = (*first.notes, f"made with --seed {self.seed}")

        def verdict(kind: VerdictKind, why: str) -> Verdict:
            return Verdict(kind, why, tuple(outputs), (), {}, tuple(dict.fromkeys(notes)))

        if self.unstable and (self.both.request.strict or not claimed):
            return verdict(VerdictKind.NOT_COMPARED, next(iter(self.unstable.values())))
        if not any(output.elements for output in claimed):
            why = "no elements were compared: what was left to compare was empty in every example"
            return verdict(VerdictKind.NOT_COMPARED, why)
        batches = sum(len(verdict.times) for verdict in every)
        how_much = claim(claimed, outputs, batches, self.both.rules)
        return verdict(VerdictKind.EQUAL, f"{many(len(every), 'example')}, {how_much}")

    def _all(self, every: Sequence[Verdict], number: int) -> OutputVerdict:
        """One output in all examples."""
        seen = [verdict.outputs[number] for verdict in every if len(verdict.outputs) > number]
        unstable = self.unstable.get(number)
        return OutputVerdict(
            seen[0].output,
            (),
            0 if unstable else sum(output.elements for output in seen),
            (),
            unstable=unstable,
            reordered=sum(output.reordered for output in seen),
            failing=any(output.failing for output in seen),
        )

    def _legacy(self, feed: Feed) -> Observations:
        return self.both.run_legacy(feed, _silent)


def smaller_examples(
    example: Batches, verdict: Verdict, orders: Sequence[Sequence[int]]
) -> Iterator[Batches]:
    """What to try instead of an example, best first; every one is smaller."""
    at = [o.difference.batch for o in verdict.outputs if o.difference is not None]
    last = min(at, default=len(example) - 1)
    if last + 1 < len(example):
        yield example[: last + 1]
    if len(example) > 1:
        yield (example[last],)
        for number in range(len(example)):
            yield example[:number] + example[number + 1 :]
    for number, batch in enumerate(example):
        for source, lines in enumerate(batch):
            for less in (*fewer(lines), *_shorter(lines, orders[source])):
                changed = (*batch[:source], less, *batch[source + 1 :])
                yield (*example[:number], changed, *example[number + 1 :])


def _shorter(lines: tuple[int, ...], order: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """A line replaced by one of the three shortest, if it is longer than those."""
    rank = {number: place for place, number in enumerate(order)}
    for at, line in enumerate(lines):
        for other in order[: min(3, rank.get(line, len(order)))]:
            yield (*lines[:at], other, *lines[at + 1 :])


class _Different(Exception):
    """An example on which the engines differ."""


def _silent(side: str, done: int, planned: int) -> None:
    pass


def _save(both: Sides, search: _Search, batches: Batches) -> str:
    request = both.request
    stem = os.path.splitext(os.path.basename(request.job))[0]
    path = request.save_test or f"test_verify_{''.join(c if c.isalnum() else '_' for c in stem)}.py"
    columns: dict[str, tuple[Sample, Any]] = {
        search.key_of(at): (search.sample_of(at), [batch[at] for batch in batches])
        for at in range(search.width)
    }
    write(path, test_source(request, path, stem, columns))
    return path
