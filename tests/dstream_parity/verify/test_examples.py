"""--sample: who is fed with what, and what chance decides. The engines are made up here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dstream_parity import Seen
from dstream_parity.verify.child.facets import RDD, Facet, Observations, OutputOp
from dstream_parity.verify.child.patches.sources import FedSources, Partitions
from dstream_parity.verify.coordinator.request import Request
from dstream_parity.verify.coordinator.rewriting import RewrittenJob
from dstream_parity.verify.coordinator.verification import Children, Sides, Verification
from dstream_parity.verify.errors import Refused
from dstream_parity.verify.inputs.feeds import Feed
from dstream_parity.verify.judging.verdict import VerdictKind
from dstream_parity.verify.sampling.examples import verify_examples

Job = Callable[[list[tuple[Partitions, ...]]], list[list[Any]]]


def lines_of(batch: Partitions) -> list[str]:
    return [line for part in batch for line in part]


def tried(directory: Path, job: Job, sources: list[str], **options: Any) -> Verification:
    """The outcome of a job that gives, for the batches of its sources, the elements of outputs."""
    file = directory / "job.py"
    file.write_text("pass\n")
    options = {"examples": 8, "seed": 1, "save_test": str(directory / "saved.py"), **options}
    sides = Sides(Request(str(file), **options), Children(str(directory), Any, Any))  # type: ignore[arg-type]

    def observe(feed: Feed) -> Observations:
        made = FedSources(feed)
        fed = [made.make("createStream", [topic]) for topic in sources]
        made.check_all_used()
        outputs = job([source.batches or () for source in fed])
        count = max(source.length for source in fed)
        return Observations(
            [OutputOp(n, "pprint", "job.py", 5 + n) for n in range(len(outputs))],
            [1000 * (at + 1) for at in range(count)],
            [0.1] * count,
            [[[Facet(RDD, Seen((tuple(b),)))] for b in output] for output in outputs],
            fed={s.number: s.input for s in fed if s.input is not None},
            planned=count,
        )

    sides.run_legacy = lambda feed, progress: observe(feed)  # type: ignore[method-assign]
    sides.run_ours = lambda job, feed, progress: observe(feed)  # type: ignore[method-assign]
    return verify_examples(sides, None, RewrittenJob(str(file), "job"), lambda *_: None)  # type: ignore[arg-type]


def sample(directory: Path, name: str) -> str:
    (directory / name).write_text("".join(f"{name}-{'x' * n}\n" for n in range(5)))
    return str(directory / name)


@pytest.mark.parametrize("keys", [("orders=", "clicks="), ("1=", "0="), ("", "0=")])
def test_every_example_feeds_a_source_from_its_own_sample(
    tmp_path: Path, keys: tuple[str, str]
) -> None:
    seen: dict[str, set[str]] = {"clicks": set(), "orders": set()}

    def job(fed: list[tuple[Partitions, ...]]) -> list[list[Any]]:
        for topic, batches in zip(seen, fed, strict=True):
            seen[topic] |= {line.split("-")[0] for batch in batches for line in lines_of(batch)}
        return [[lines_of(batch) for batch in fed[0]]]

    samples = tuple(key + sample(tmp_path, n) for key, n in zip(keys, ("o", "c"), strict=True))
    outcome = tried(tmp_path, job, ["clicks", "orders"], sample=samples)
    assert outcome.verdict.kind is VerdictKind.EQUAL
    assert seen == {"clicks": {"c"}, "orders": {"o"}}


def test_samples_without_a_key_feed_the_sources_in_order_and_a_single_one_feeds_all(
    tmp_path: Path,
) -> None:
    seen: list[set[str]] = []

    def job(fed: list[tuple[Partitions, ...]]) -> list[list[Any]]:
        seen[:] = [
            have | {line.split("-")[0] for batch in batches for line in lines_of(batch)}
            for have, batches in zip(seen, fed, strict=True)
        ]
        return [[["same"] for _ in fed[0]]]

    for samples, expected in ((("a", "b"), [{"a"}, {"b"}]), (("a",), [{"a"}, {"a"}])):
        seen = [set(), set()]
        paths = tuple(sample(tmp_path, name) for name in samples)
        tried(tmp_path, job, ["clicks", "orders"], sample=paths)
        assert seen == expected
    with pytest.raises(Refused, match=r"no batches were given for source 2 .* use --sample 2=FILE"):
        tried(tmp_path, job, ["x", "y", "z"], sample=(sample(tmp_path, "a"), sample(tmp_path, "b")))


def unsteady(steady_runs: int) -> Job:
    """Of its two outputs the second one, after some runs, gives something else in every run."""
    runs = [0]

    def job(fed: list[tuple[Partitions, ...]]) -> list[list[Any]]:
        runs[0] += 1
        lines = [lines_of(batch) for batch in fed[0]]
        return [lines, [[*batch, max(runs[0], steady_runs)] for batch in lines]]

    return job


def test_an_output_that_differed_from_itself_once_is_never_judged_again(tmp_path: Path) -> None:
    verdict = tried(tmp_path, unsteady(0), ["t"], sample=(sample(tmp_path, "a"),)).verdict
    assert verdict.kind is VerdictKind.EQUAL, verdict.why
    assert "examples, 1 of 2 output operations, " in verdict.why
    claimed, other = verdict.outputs
    assert verdict.why.endswith(f", {claimed.elements} elements")
    assert other.unstable is not None
    assert other.elements == 0


def test_with_strict_an_output_that_differs_from_itself_in_a_later_example_is_not_equal(
    tmp_path: Path,
) -> None:
    for strict, kind in ((False, VerdictKind.EQUAL), (True, VerdictKind.NOT_COMPARED)):
        options: dict[str, Any] = {"sample": (sample(tmp_path, "a"),), "strict": strict}
        verdict = tried(tmp_path, unsteady(3), ["t"], **options).verdict
        assert verdict.kind is kind, verdict.why
        assert "differs from itself at pprint at job.py:6" in (verdict.outputs[1].unstable or "")


def test_a_difference_that_turns_out_to_be_chance_while_it_is_shrunk_is_none(
    tmp_path: Path,
) -> None:
    """The first two runs agree, ours does not; later runs all differ from each other."""
    outcome = tried(tmp_path, unsteady(2), ["t"], sample=(sample(tmp_path, "a"),))
    assert outcome.verdict.kind is VerdictKind.EQUAL, outcome.verdict.why
    assert "1 of 2 output operations" in outcome.verdict.why
    assert outcome.test_file is None
    assert not (tmp_path / "saved.py").exists()
