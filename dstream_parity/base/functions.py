"""Functions for random pipelines: they accept any element and are full of traps.

Since they never fail by accident, a failure is the engine's. Many do not commute, some raise on
purpose, some remember their calls, two use what the driver changes between batches. Reduce
functions are associative, as they must be.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from pyspark.cloudpickle import register_pickle_by_value

# So workers need not import this module, and functions are pickled with the module variables as
# they are in the driver at that moment.
register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


def show(x: Any) -> str:
    """Like repr, but the same for equal sets, and for ResultIterables of the same elements."""
    if isinstance(x, (tuple, list)) or type(x).__name__ == "ResultIterable":
        return f"{type(x).__name__}({','.join(map(show, x))})"
    if isinstance(x, dict):
        return f"dict({','.join(sorted(map(show, x.items())))})"
    if isinstance(x, set):
        return f"set({','.join(sorted(map(show, x)))})"
    return repr(x)


def text(x: Any) -> str:
    return x if isinstance(x, str) else show(x)


def as_tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def tag(x: Any) -> tuple[str, Any]:
    return "tag", x


def pair(x: Any) -> tuple[Any, Any]:
    return x, x


def swap(kv: tuple[Any, Any]) -> tuple[Any, Any]:
    return kv[1], kv[0]


def by_type(x: Any) -> tuple[str, Any]:
    return type(x).__name__, x


def by_length(x: Any) -> tuple[int, Any]:
    return len(show(x)) % 3, x


def even_length(x: Any) -> bool:
    return len(show(x)) % 2 == 0


def no_pair(x: Any) -> bool:
    return not isinstance(x, tuple)


def explode(x: Any) -> list[Any]:
    return list(x) if isinstance(x, tuple) else [x] * (len(show(x)) % 3)


def twice(x: Any) -> Iterator[Any]:
    yield x
    yield x


def nested(x: Any) -> list[Any]:
    """Not hashable."""
    return [x, {"x": x}]


def nothing(x: Any) -> None:
    return None


def backwards(part: Iterable[Any]) -> list[Any]:
    return list(part)[::-1]


def neighbours(part: Iterator[Any]) -> Iterator[Any]:
    previous = None
    for x in part:
        yield previous, x
        previous = x


def with_index(index: int, part: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    return ((index, x) for x in part)


def head(part: Iterator[Any]) -> list[Any]:
    """Leaves the rest of its partition unread."""
    return list(islice(part, 1))


# Raising: always the same exception, because which partition fails first is chance.

NOT_THIS = "not this one: é, 日本, 😀"


def no_texts(x: Any) -> Any:
    if isinstance(x, str):
        raise LookupError(NOT_THIS)
    return x


def no_odd_lengths(x: Any) -> bool:
    if len(show(x)) % 2:
        raise LookupError(NOT_THIS)
    return True


def not_after_three(part: Iterator[Any]) -> Iterator[Any]:
    yield from islice(part, 3)
    if any(True for _ in part):
        raise LookupError(NOT_THIS)


# Remembering: every partition of every batch gets them as they are in the driver.


def counting() -> Callable[[Any], tuple[int, Any]]:
    """A function that numbers its calls."""
    calls = 0

    def number(x: Any) -> tuple[int, Any]:
        nonlocal calls
        calls += 1
        return calls, x

    return number


def unseen() -> Callable[[Any], bool]:
    """A predicate that is true once per element."""
    known: list[str] = []

    def is_new(x: Any) -> bool:
        shown = show(x)
        if shown in known:
            return False
        known.append(shown)
        return True

    return is_new


LIVE = {"level": 0}  # changed in the driver, between batches


def set_level(tick: int) -> None:
    """What :func:`levelled` and :func:`above_level` see from now on."""
    LIVE["level"] = tick


def levelled(x: Any) -> tuple[int, Any]:
    return LIVE["level"], x


def above_level(x: Any) -> bool:
    return len(show(x)) % 4 != LIVE["level"] % 4


# Associative, as a reduce function must be; concat, flat, first and last do not commute.


def concat(a: Any, b: Any) -> str:
    return text(a) + text(b)


def flat(a: Any, b: Any) -> tuple[Any, ...]:
    return as_tuple(a) + as_tuple(b)


def first(a: Any, b: Any) -> Any:
    return a


def last(a: Any, b: Any) -> Any:
    return b


def larger(a: Any, b: Any) -> Any:
    return max(a, b, key=show)


def box(value: Any) -> tuple[Any, ...]:
    return (value,)


def put(combiner: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    return (*combiner, value)


def pour(combiner: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return combiner + other


def plus(a: Any, b: Any) -> int:
    return amount(a) + amount(b)


def amount(x: Any) -> int:
    return x if type(x) is int else len(show(x))


# Inverses of the above; some are wrong on purpose, since engines call whatever they are given.


def minus(a: Any, b: Any) -> int:
    return amount(a) - amount(b)


def cut(a: Any, b: Any) -> str:
    return text(a)[len(text(b)) :]


def drop(a: Any, b: Any) -> tuple[Any, ...]:
    return as_tuple(a)[len(as_tuple(b)) :]


def has_value(kv: tuple[Any, Any]) -> bool:
    return bool(kv[1])


# For updateStateByKey


def total(values: list[Any], state: Any) -> int:
    return len(values) + (state if type(state) is int else 0)


def collect(values: list[Any], state: Any) -> list[Any]:
    state = state if type(state) is list else [state]
    state.extend(values)
    return state  # type: ignore[no-any-return]


def chained(values: list[Any], state: Any) -> str:
    return text(state) + "".join(map(text, values)) + ";"


def latest(values: list[Any], state: Any) -> Any:
    return values[-1] if values else None


def forgetful(values: list[Any], state: Any) -> Any:
    known = total(values, state)
    return None if known > 3 else known


# For mapWithState


def text_key(kv: tuple[Any, Any]) -> tuple[str, Any]:
    return text(kv[0]), kv[1]


def running(key: Any, value: Any, state: Any) -> tuple[Any, ...]:
    if state.isTimingOut():
        return "gone", key, value, state.get()
    state.update((*as_tuple(state.getOption(())), value))
    return key, state.get()


def toggled(key: Any, value: Any, state: Any) -> tuple[Any, ...]:
    known = state.getOption("nothing")
    if not state.isTimingOut():
        state.remove() if state.exists() else state.update(value)
    return key, known, state.exists(), state.isTimingOut()


def first_seen(key: Any, value: Any, state: Any) -> Any:
    if not state.exists():
        state.update(value)
    return state.get() if state.isTimingOut() else None


def dated(time: Any, key: Any, value: Any, state: Any) -> Any:
    if state.isTimingOut():
        return key, "out", time.second
    if even_length(value):
        state.update(time.second)
    return (key, time.second, state.getOption()) if state.exists() else None


# On RDDs, for transform: with methods that every RDD has


def unchanged(x: Any) -> Any:
    return x


def in_order(rdd: Any) -> Any:
    return rdd.sortBy(show, numPartitions=1)


def doubled(rdd: Any) -> Any:
    return rdd.union(rdd)


def stamped(time: Any, rdd: Any) -> Any:
    second = time.second
    return rdd.map(lambda x: (second, x))


def numbered(rdd: Any) -> Any:
    return rdd.zipWithIndex()


def shortest(rdd: Any) -> Any:
    """An action in the driver, and its result as an RDD."""
    return rdd.context.parallelize(sorted(rdd.collect(), key=show)[:2], 1)


def placed(rdd: Any) -> Any:
    return rdd.partitionBy(2).map(unchanged)


def summed(rdd: Any) -> Any:
    return rdd.reduceByKey(concat, 3).map(unchanged)


def both(rdd: Any, other: Any) -> Any:
    return other.union(rdd)


def crossed(rdd: Any, other: Any) -> Any:
    return rdd.cartesian(other)


def dated_both(time: Any, rdd: Any, other: Any) -> Any:
    return stamped(time, rdd).union(stamped(time, other))


def matched(rdd: Any, other: Any) -> Any:
    return rdd.join(other, 2).map(unchanged)


def last_first(rdds: Any) -> Any:
    first_rdd, *others = reversed(rdds)
    for rdd in others:
        first_rdd = first_rdd.union(rdd)
    return first_rdd
