"""``python -m samples.verify [NAME …]``: verifies every sample and prints each verdict.

One process per engine serves all samples. Each verdict says what its sample was compared with.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from samples.catalogue import Reference, Sample, samples

if TYPE_CHECKING:
    from dstream_parity.verify.coordinator.request import Request
    from dstream_parity.verify.coordinator.verification import Children, Verification


def request_of(sample: Sample) -> Request:
    """The request to `migrate verify`.

    The twin in ``migrated`` runs on our side, so the twin is what is verified. A Python 2 job is
    modernised and rewritten on the way, and is then identical to its twin.
    """
    from dstream_parity.verify.coordinator.request import Request

    recorded = sample.reference is Reference.EXPECTED
    ours = str(sample.path if recorded else sample.twin)
    return Request(
        str(sample.path),
        sample.arguments,
        rewritten=None if sample.reference is Reference.MODERNISED else ours,
        inputs=(sample.input,),
        against="recorded" if recorded else "legacy",
        run_outputs=sample.run_outputs,
        shell=sample.shell,
    )


def verified(
    sample: Sample, using: Children, directory: Path, *, repeat: bool = True
) -> Verification:
    """The outcome of a sample, saying what it was compared with.

    ``repeat``: whether the legacy engine is compared with itself first.
    """
    from dstream_parity.verify.coordinator.verification import verify

    if sample.reference is Reference.JVM:
        return _against_the_jvm(sample, directory)
    outcome = verify(replace(request_of(sample), repeat=repeat), using=using)
    if sample.reference is Reference.EXPECTED:
        return replace(outcome, reference=sample.reference.value)
    return outcome


def _against_the_jvm(sample: Sample, directory: Path) -> Verification:
    from pyspark import SparkConf, SparkContext

    from samples import against_jvm

    conf = SparkConf().setMaster("local[2]").setAppName("samples").set("spark.ui.enabled", "false")
    sc = SparkContext.getOrCreate(conf)
    return against_jvm.outcome(sample, sc, directory)


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if all are equal, 1 if one is not, 2 for an unknown name."""
    from tempfile import TemporaryDirectory

    from dstream_parity.verify.coordinator.verification import children
    from dstream_parity.verify.judging.verdict import VerdictKind

    names = list(sys.argv[1:] if arguments is None else arguments)
    known = {sample.name: sample for sample in samples()}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(
            f"samples: no sample is called {unknown[0]}; there are {', '.join(known)}",
            file=sys.stderr,
        )
        return 2
    worst = 0
    with TemporaryDirectory() as directory, children() as both:
        os.chdir(directory)  # where jobs leave the files they really write
        for sample in (known[name] for name in names or known):
            outcome = verified(sample, both, Path(directory))
            print(f"{sample.name}: {outcome.verdict.kind.value}: {outcome.verdict.why}", flush=True)
            print(f"  against {outcome.reference}", flush=True)
            worst = max(worst, int(outcome.verdict.kind is not VerdictKind.EQUAL))
    return worst


if __name__ == "__main__":
    sys.exit(main())
