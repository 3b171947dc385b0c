"""Compares ``new/sessions.py`` with mapWithState of the JVM, with its function in Java."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pyspark
from py4j.java_gateway import JavaObject
from pyspark import SparkContext

import dstream_compat
from dstream_parity import Batches, Outcomes, Seen, difference
from dstream_parity.engines.on_spark import replay_on_spark
from dstream_parity.verify.coordinator.verification import Verification
from dstream_parity.verify.judging.verdict import Verdict, VerdictKind
from parity_tests.jvm_oracle import JvmOracle, Mapping, dealt
from samples.catalogue import Sample

TIMEOUT = 5


class VisitsInJava(JvmOracle):
    """Does what sessions.py does, on the JVM's own DStreams."""

    jar = "visits.jar"
    java = """
    package visits;

    import org.apache.spark.api.java.Optional;
    import org.apache.spark.api.java.function.Function3;
    import org.apache.spark.streaming.State;

    public class Follow implements Function3 {
      public Object call(Object user, Object clicked, Object known) {
        State visit = (State) known;
        if (visit.isTimingOut()) return user + " went away: " + visit.get();
        Object page = ((Optional) clicked).get();
        String path = visit.exists() ? visit.get() + " > " + page : page.toString();
        if (!page.equals("logout")) {
          visit.update(path);
          return user + " is here: " + path;
        }
        if (visit.exists()) visit.remove();
        return user + " logged out: " + path;
      }
    }
    """

    def _function(self, mapping: Mapping) -> JavaObject:
        return self._loader.loadClass("visits.Follow").newInstance()


def batches_of(sample: Sample) -> Batches:
    """The clicks of every batch, in two partitions."""
    job = importlib.import_module("samples.new.sessions")
    lines = sample.batches.read_text(encoding="utf-8").splitlines()
    return [[dealt([job.click_of(click) for click in json.loads(line)], 2)] for line in lines]


def replays(sample: Sample, sc: SparkContext, directory: Path) -> tuple[Outcomes, Outcomes]:
    """What the JVM gives and what the sample gives on our engine: visits, and those still open."""
    job: Any = importlib.import_module("samples.new.sessions")
    sc.setCheckpointDir(str(directory / "checkpoint"))
    batches = batches_of(sample)
    java = VisitsInJava(sc, directory).replay([Mapping(timeout=TIMEOUT)], batches)
    ours = replay_on_spark(
        lambda ssc, inputs: list(job.visits(inputs[0], TIMEOUT)), batches, sc=sc, timeout=120
    )
    return java, ours


def outcome(sample: Sample, sc: SparkContext, directory: Path) -> Verification:
    """The verdict on the sample, in the form that `migrate verify` gives."""
    java, ours = replays(sample, sc, directory)
    reference = f"{sample.reference.value} (pyspark {pyspark.__version__})"
    compared = f"{sample.path.name}, on dstream_compat {dstream_compat.__version__}"
    # the JVM places keys by its own hashes, so order and place say nothing
    wrong = difference(java, ours)
    if wrong is not None:
        return Verification(
            sample.path.name, reference, compared, Verdict(VerdictKind.DIFFERENT, wrong)
        )
    elements = sum(
        len(part)
        for stream in java
        for seen in stream
        if isinstance(seen, Seen)
        for part in seen.partitions
    )
    claim = f"2 streams, {len(java[0])} batches, {elements} elements"
    return Verification(sample.path.name, reference, compared, Verdict(VerdictKind.EQUAL, claim))
