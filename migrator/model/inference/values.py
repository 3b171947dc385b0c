"""What an expression may be: sets of atoms. An empty set says that nothing is known.

Atoms are compared by identity; :class:`migrator.model.inference.analysis.Analysis` makes each once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from migrator.core import Confidence
from migrator.model.jobmodel import Kind

if TYPE_CHECKING:
    from migrator.model.inference.units import Class, FunctionUnit, ModuleUnit, Unit


class Atom:
    """One thing an expression may be."""

    __slots__ = ()


Value: TypeAlias = frozenset[Atom]
UNKNOWN: Value = frozenset()

RANK = {Confidence.GUESS: 0, Confidence.LIKELY: 1, Confidence.SURE: 2}


class NoneAtom(Atom):
    __slots__ = ()


NONE: Value = frozenset({NoneAtom()})


class Thing(Atom):
    """Something of the API: a stream, a context, an RDD …"""

    __slots__ = ("confidence", "kind", "number", "owner")

    def __init__(
        self, kind: Kind, number: int | None, confidence: Confidence, owner: str = ""
    ) -> None:
        self.kind = kind
        self.number = number
        self.confidence = confidence
        self.owner = owner


class Named(Atom):
    """Something outside the run, known by its absolute name: ``pyspark.SparkContext``, ``os``."""

    __slots__ = ("confidence", "dotted")

    def __init__(self, dotted: str, confidence: Confidence) -> None:
        self.dotted = dotted
        self.confidence = confidence


class Func(Atom):
    """A function of the run; ``bound`` is what its first parameter gets."""

    __slots__ = ("bound", "unit")

    def __init__(self, unit: FunctionUnit, bound: Atom | None = None) -> None:
        self.unit = unit
        self.bound = bound


class Cls(Atom):
    __slots__ = ("info",)

    def __init__(self, info: Class) -> None:
        self.info = info


class Inst(Atom):
    """An instance of a class of the run; all instances of a class are one."""

    __slots__ = ("info",)

    def __init__(self, info: Class) -> None:
        self.info = info


class Mod(Atom):
    __slots__ = ("module",)

    def __init__(self, module: ModuleUnit) -> None:
        self.module = module


class Box(Atom):
    """A container, by the place where it is made: what is under constant keys, and the rest."""

    __slots__ = ("_walking", "items", "rest", "seen")

    def __init__(self, walking: list[Unit]) -> None:
        self._walking = walking
        self.items: dict[object, Value] = {}
        self.rest: Value = UNKNOWN
        self.seen: dict[Unit, int] = {}
        """How much was in it when a unit read it."""

    def all(self) -> Value:
        """What an element may be."""
        everything = widened(self.rest.union(*self.items.values()))
        if self._walking:
            unit = self._walking[-1]
            self.seen[unit] = min(self.seen.get(unit, len(everything)), len(everything))
        return everything

    def get(self, key: object) -> Value:
        self.all()
        return self.items.get(key, UNKNOWN) | self.rest

    def too_early(self) -> list[Unit]:
        """Units that read it before everything was in it, and have to read it again."""
        size = len(widened(self.rest.union(*self.items.values())))
        found = [unit for unit, seen in self.seen.items() if seen < size]
        for unit in found:
            del self.seen[unit]
        return found


class Partial(Atom):
    """``functools.partial``, by the place where it is made."""

    __slots__ = ("function", "keywords", "positional")

    def __init__(self) -> None:
        self.function: Value = UNKNOWN
        self.positional: list[Value] = []
        self.keywords: dict[str, Value] = {}


class BoundMethod(Atom):
    """A method of the API that is not called where it is read: ``show = counts.pprint``."""

    __slots__ = ("name", "receiver", "things")

    def __init__(self, things: Value, name: str, receiver: ast.expr) -> None:
        self.things = things
        self.name = name
        self.receiver = receiver


class Dynamic(Atom):
    """A function or module whose name is chosen at run time."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Opaque(Atom):
    """A value from outside: a parameter never passed, a name never bound, an unknown result.

    It becomes a guessed stream or context when something is called on it that nothing else has.
    """

    __slots__ = ("name", "node", "thing", "unit", "users")

    def __init__(self, name: str, node: ast.AST, unit: Unit) -> None:
        self.name = name
        self.node = node
        self.unit = unit
        self.thing: Thing | None = None
        self.users: set[Unit] = set()


_MOST = 40


def widened(value: Value) -> Value:
    """A value that may be very many things loses names outside the API, so that values cannot grow
    for ever."""
    if len(value) <= _MOST:
        return value
    return frozenset(
        atom
        for atom in value
        if not (type(atom) is Opaque and atom.thing is None)
        and not (type(atom) is Named and not atom.dotted.startswith(("pyspark", "dstream_")))
    )


def elements(value: Value) -> Value:
    """What iterating over a container gives."""
    return UNKNOWN.union(*(atom.all() for atom in value if type(atom) is Box))


def item(value: Value, index: int) -> Value:
    """The element of a tuple or list at a fixed position."""
    boxes = [atom for atom in value if type(atom) is Box]
    return UNKNOWN.union(*(box.get(index) for box in boxes)) if boxes else UNKNOWN


def things(value: Iterable[Atom]) -> list[Thing]:
    """The API things among a value's atoms; guesses only where nothing better is known."""
    found: list[Thing] = []
    for atom in value:
        if type(atom) is Thing:
            found.append(atom)
        elif type(atom) is Opaque and atom.thing is not None:
            found.append(atom.thing)
    if len(found) > 1:
        sure = [thing for thing in found if thing.confidence is not Confidence.GUESS]
        return sure or found
    return found


def of_kind(value: Value, *kinds: Kind) -> list[Thing]:
    return [thing for thing in things(value) if thing.kind in kinds]


def numbers(found: Iterable[Thing]) -> set[int]:
    return {thing.number for thing in found if thing.number is not None}


def confidence(found: Iterable[Thing]) -> Confidence:
    """The best of them: a value that may be several things is at least one."""
    return max((thing.confidence for thing in found), key=RANK.__getitem__)


def functions(value: Value) -> Iterator[Func]:
    return (atom for atom in value if type(atom) is Func)
