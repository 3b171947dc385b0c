"""Rebuilds: matches the stateful operators of changed code to the state of the previous run.

Operators match by *name*: the one a user gave with ``named``, else the operator and its function,
``updateStateByKey(count)``. Where several share a name, what is upstream of them, their lengths and
their code decide. Nothing is guessed: where that is not enough to be sure, the job is refused with
an error that names the operators and says what to do.
"""

from __future__ import annotations

import hashlib
import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

from dstream_compat.base.errors import illegal_argument
from dstream_compat.graph.nodes import Narrow, Node, Source, Stateful, Union, Wide, ancestors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

logger = logging.getLogger(__name__)

Described = dict[str, Any]  # what a checkpoint notes about an operator


def describe_operators(operators: Sequence[Stateful]) -> list[Described]:
    """What a checkpoint notes about the stateful operators of a plan, by their numbers."""
    described = []
    for node in operators:
        described.append(
            {
                "name": node.marks.name or _default_name(node),
                "named": node.marks.name is not None,
                "kind": node.kind,
                "site": node.site,
                "partitions": node.partitions,
                "times": [node.window_ms, node.slide_ms, len(node.functions)],
                "way": _way(node.inputs[0]),
                "code": _digest(node),
            }
        )
    return described


def _default_name(node: Stateful) -> str:
    operator = node.site.partition(" at ")[0]
    if not node.functions:
        return operator
    function = node.functions[0]
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return f"{operator}({name.rpartition('<locals>.')[2]})"


def _way(node: Node) -> str:
    """The operators upstream of a node, from its first source on."""
    if isinstance(node, Source):
        return node.site.partition(" at ")[0]
    kind = node.kind if isinstance(node, (Narrow, Wide, Stateful)) else type(node).__name__
    joined = " + ".join(map(_way, node.parents))
    return f"({joined}).{kind}" if isinstance(node, (Union, Wide)) else f"{joined}.{kind}"


def _digest(node: Node) -> str:
    """A digest of the functions of an operator and all upstream; equal if the code is unchanged."""
    digest = hashlib.sha256()
    for each in ancestors([node]):
        function = getattr(each, "function", None)
        for used in (*getattr(each, "functions", ()), *([function] if function else [])):
            code = getattr(used, "__code__", None)
            named = getattr(used, "__qualname__", None) or type(used).__qualname__
            digest.update(named.encode() if code is None else repr(_parts(code)).encode())
    return digest.hexdigest()[:16]


def _parts(code: CodeType) -> tuple[Any, ...]:
    def told(constant: Any) -> Any:
        if isinstance(constant, frozenset):  # has no fixed order
            return sorted(map(repr, constant))
        return _parts(constant) if isinstance(constant, CodeType) else constant

    return code.co_code, code.co_names, [told(constant) for constant in code.co_consts]


def match(
    old: Sequence[Described], new: Sequence[Described], said: Mapping[str, str | None]
) -> dict[int, int]:
    """For each operator of ``new`` that takes over state: the number of the one in ``old``.

    ``said`` maps names of new operators to names or sites of old ones, or to None to start empty.
    """
    unknown = [name for name in said if name not in {operator["name"] for operator in new}]
    known = {operator[key] for operator in old for key in ("name", "site")}
    unknown += [name for name in said.values() if name and name not in known]
    if unknown:
        raise _refusal(f"rebuild names {unknown[0]}, but there is no such operator", old, new)
    found: dict[int, int] = {}
    theirs, ours = _by_name(old), _by_name(new)
    for name, numbers in ours.items():
        wanted = said.get(name, name)
        if wanted is None:
            continue
        candidates = theirs.get(wanted) or [n for n, o in enumerate(old) if o["site"] == wanted]
        if candidates:
            pairs = _paired(old, new, candidates, numbers)
            if pairs is None:
                raise _refusal(f"there are several operators called {wanted}", old, new)
            found.update(pairs)
    _check(old, new, found, said)
    return found


def _paired(
    old: Sequence[Described], new: Sequence[Described], theirs: list[int], ours: list[int]
) -> dict[int, int] | None:
    """Pairs operators of one name with their old ones; None if that is ambiguous."""
    if len(ours) == len(theirs) == 1:
        return {ours[0]: theirs[0]}
    for told_by in (("way",), ("way", "times"), ("way", "times", "site", "code")):
        before = {repr([old[n].get(key) for key in told_by]): n for n in theirs}
        now = {repr([new[n].get(key) for key in told_by]): n for n in ours}
        if before.keys() == now.keys() and len(now) == len(ours) == len(theirs):
            return {number: before[key] for key, number in now.items()}
    if [old[n] for n in theirs] == [new[n] for n in ours]:  # made in a loop, and unchanged
        return dict(zip(ours, theirs, strict=True))
    return None


def _check(
    old: Sequence[Described],
    new: Sequence[Described],
    found: Mapping[int, int],
    said: Mapping[str, str | None],
) -> None:
    for number, earlier in found.items():
        before, now = old[earlier], new[number]
        for what in ("kind", "partitions"):
            if before[what] != now[what]:
                label = {"kind": "operator", "partitions": "numPartitions"}[what]
                raise _refusal(
                    f"the {label} of {now['name']} was {before[what]} and is {now[what]}", old, new
                )
    empty = [o["name"] for n, o in enumerate(new) if n not in found and o["name"] not in said]
    dropped = [o["name"] for n, o in enumerate(old) if n not in found.values()]
    if empty and dropped:
        # renamed, or a different one? only the author knows
        raise _refusal(
            f"nothing takes over the state of {', '.join(dropped)}, and {', '.join(empty)} is new",
            old,
            new,
        )
    for name in empty:
        logger.warning("rebuild: %s is new and starts empty", name)
    for name in dropped:
        logger.warning("rebuild: the state of %s is dropped: no operator takes it over", name)


def _by_name(operators: Sequence[Described]) -> dict[str, list[int]]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, operator in enumerate(operators):
        numbers[operator["name"]].append(number)
    return numbers


def _refusal(why: str, old: Sequence[Described], new: Sequence[Described]) -> Exception:
    def listed(operators: Sequence[Described]) -> str:
        return ", ".join(f"{o['name']} ({o['site']})" for o in operators) or "nothing"

    return illegal_argument(
        f"The state of the checkpoint cannot be carried over: {why}. It holds {listed(old)}; the "
        f'job has {listed(new)}. Name operators with .named("…"), or say which is which: '
        'rebuild={"new name": "old name"} (or its place as listed here, where several share a '
        "name); None instead of a name starts it empty."
    )


def seeds(
    session: SparkSession,
    query: str,
    stores: int,
    found: Mapping[int, int],
) -> DataFrame | None:
    """The pages of state that operators of the new plan start from, read from an old query.

    Columns: slot, and the key and content of a page. None if there is no state to take over.
    """
    from pyspark.sql import functions as F

    if not found or not stores:
        return None
    pages: DataFrame | None = None
    for store in range(stores):
        read = (
            session.read.format("statestore")
            .option("path", query)
            .option("operatorId", store)
            .option("stateVarName", "pages")
            .option("flattenCollectionTypes", True)
            .load()
            .select("key.slot", "user_map_key.*", "user_map_value.content")
        )
        pages = read if pages is None else pages.unionAll(read)
    assert pages is not None
    chosen: DataFrame | None = None
    for number, earlier in found.items():
        mine = pages.where(F.col("operator") == earlier).withColumn("operator", F.lit(number))
        chosen = mine if chosen is None else chosen.unionAll(mine)
    return chosen


def check_pending(waiting: Mapping[int, str], sources: Mapping[int, str]) -> None:
    """Refuse if logged batches wait for an input stream that the new job does not have."""
    for number, kind in waiting.items():
        if sources.get(number) != kind:
            now = sources.get(number, "missing")
            raise illegal_argument(
                f"Logged batches wait for input stream {number}, which was a {kind} and is {now} "
                "in the changed job: run the unchanged job until it has caught up, then rebuild"
            )


def check_external(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse if a source that Spark reads would start over: only the old query has its position."""
    for number, kind in now.items():
        if "SparkSourceSpec" in (kind, before.get(number)):
            raise illegal_argument(
                f"Input stream {number} is read by a source of Spark, which would start over "
                "in a rebuilt job: run the unchanged job, or the changed one with a new checkpoint "
                "directory. If a receiver has read Kinesis so far, keep it with "
                "spark.dstream_compat.kinesis.format=receiver"
            )
        if kind == "DataFrameSpec":
            logger.warning("rebuild: input stream %s (dataFrameStream) starts over", number)
