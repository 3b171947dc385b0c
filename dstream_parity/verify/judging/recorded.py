"""``--against recorded``: what production gave is the reference."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from dstream_parity import Seen
from dstream_parity.verify.child import standins
from dstream_parity.verify.child.facets import RDD, TIME, Facet, Observations, what_was_handed
from dstream_parity.verify.inputs.recording import RecordedRun
from dstream_parity.verify.judging.judge import judge
from dstream_parity.verify.judging.verdict import Rules, Verdict

Unknown = set[tuple[int, int]]


def judge_recorded(recorded: RecordedRun, ours: Observations, rules: Rules) -> Verdict:
    """Compare what our engine gave with what production gave, in the recorded batches."""
    reference, excluded, unknown = _reference(recorded, ours)
    handed = [[what_was_handed(cell) for cell in column] for column in ours.facets]
    seen = replace(ours, facets=handed, times=ours.times[: len(recorded.times)])
    return judge(reference, None, seen, replace(rules, recorded=True), excluded, unknown)


def _reference(
    recorded: RecordedRun, ours: Observations
) -> tuple[Observations, dict[int, str], Unknown]:
    """The recorded outputs as if just observed, those that were not recorded and why, and the
    (output, batch) pairs about which nothing is known.

    Outputs are matched by the name that their stream was recorded under, or else by position.
    """
    by_name = {stream.name: stream for stream in recorded.outputs}
    named = any(op.name in by_name for op in ours.outputs)
    masked = next((stream.name for stream in recorded.inputs if stream.masked), None)
    times = recorded.times[: ours.planned]
    excluded: dict[int, str] = {}
    unknown: Unknown = set()
    facets: list[list[list[Facet]]] = []
    for op in ours.outputs:
        found = by_name.get(op.name or "")
        if found is None and not named and op.number < len(recorded.outputs):
            found = recorded.outputs[op.number]
        if found is None or not found.batches:
            excluded[op.number] = f"{op} was not recorded"
        elif masked is not None or found.masked:
            excluded[op.number] = (
                f"the recorded stream {masked or found.name} is masked: what production gave for "
                f"real data cannot be compared with what {op} gives for masked data"
            )
        batches = found.batches if found is not None else {}
        if (
            found is not None and found.trust
        ):  # as the classes that our side's elements come back with
            batches = standins.there_and_back(batches)
        facets.append([_recorded_facets(batches, time) for time in times])
        last, failed = max(batches, default=0), found.failed if found is not None else ()
        unknown |= {
            (op.number, at)
            for at, time in enumerate(times)
            if time > last
            or time in failed
            or not any(time in stream.batches for stream in recorded.streams)
        }
    notes = [] if named else ["recorded outputs were matched with output operations by position"]
    return Observations(list(ours.outputs), list(times), [], facets, notes=notes), excluded, unknown


def _recorded_facets(batches: dict[int, list[list[Any]]], time: int) -> list[Facet]:
    """None if the output slides more slowly and was not called."""
    if time not in batches:
        return []
    moment = datetime.fromtimestamp(time / 1000.0)  # as PySpark makes it, in the same time zone
    parts = tuple(tuple(part) for part in batches[time])
    return [Facet(RDD, Seen(parts)), Facet(TIME, Seen(((moment,),)))]
