"""What a call gives, evaluated."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrator.model.inference.values import UNKNOWN, Box, Value
from migrator.model.inference.walk import Walk


@dataclass
class Arguments:
    """What a call gives, evaluated."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    rest: Value = UNKNOWN
    """What may come behind the positional ones, from ``*args``."""
    others: Value = UNKNOWN
    """What may come by names that are not known, from ``**kwargs``."""
    skipped: int = 0
    """How many arguments of the call stand in front of these."""

    def all(self) -> Iterator[Value]:
        yield from self.positional
        yield from self.keywords.values()
        yield self.rest
        yield self.others

    def get(self, index: int, name: str) -> Value:
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[index] if index < len(self.positional) else self.rest

    def behind(self, count: int) -> Arguments:
        return Arguments(self.positional[count:], self.keywords, self.rest, self.others, count)


def evaluate_arguments(walk: Walk, node: ast.Call) -> Arguments:
    arguments = Arguments()
    for part in node.args:
        if isinstance(part, ast.Starred):
            _spread(arguments, walk.eval(part.value))
        elif arguments.rest:
            arguments.rest |= walk.eval(part)
        else:
            arguments.positional.append(walk.eval(part))
    for keyword in node.keywords:
        value = walk.eval(keyword.value)
        if keyword.arg is not None:
            arguments.keywords[keyword.arg] = value
            continue
        for atom in value:
            if type(atom) is Box:
                named = {str(k): v for k, v in atom.items.items() if isinstance(k, str)}
                arguments.keywords.update(named)
                arguments.others |= atom.rest
    return arguments


def _spread(arguments: Arguments, value: Value) -> None:
    boxes = [atom for atom in value if type(atom) is Box]
    if len(boxes) == 1 and not boxes[0].rest:
        items = boxes[0].items
        arguments.positional += [items.get(i, UNKNOWN) for i in range(len(items))]
    else:
        arguments.rest |= UNKNOWN.union(*(box.all() for box in boxes))
