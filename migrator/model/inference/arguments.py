"""What a call gives, evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from migrator.model.inference.values import UNKNOWN, Value


@dataclass
class Arguments:
    """What a call gives, evaluated."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    rest: Value = UNKNOWN
    """What may follow the positional ones, from ``*args``."""
    others: Value = UNKNOWN
    """What may come by names that are not known, from ``**kwargs``."""
    skipped: int = 0
    """How many arguments of the call come before these."""

    def all(self) -> Iterator[Value]:
        yield from self.positional
        yield from self.keywords.values()
        yield self.rest
        yield self.others

    def get(self, index: int, name: str) -> Value:
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[index] if index < len(self.positional) else self.rest

    def after(self, count: int) -> Arguments:
        return Arguments(self.positional[count:], self.keywords, self.rest, self.others, count)
