"""A call of something of the API while it is being followed."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrator.core import Confidence
from migrator.model.inference.arguments import Arguments
from migrator.model.inference.values import Thing
from migrator.model.inference.walk import Walk
from migrator.model.jobmodel import Call, Escaping, Kind


@dataclass(frozen=True)
class ApiCall:
    """What a walk knows of one call when it comes to it."""

    walk: Walk
    node: ast.Call
    on: Kind
    owner: str
    """The name of the class or module: ``DStream``, ``KafkaUtils``."""
    method: str
    receiver: ast.expr | None
    confidence: Confidence
    arguments: Arguments
    things: tuple[Thing, ...] = ()
    """What the method is called on; empty for constructors and functions of a module."""

    def note(self, *, stream: int | None = None, known: bool = True) -> None:
        """Note a call whose parameters are not looked at."""
        self.keep(self.described(stream=stream, known=known))

    def described(self, *, stream: int | None = None, known: bool = True) -> Call:
        """The call as rules see it, without its arguments."""
        return Call(
            self.node,
            self.on,
            self.owner,
            self.method,
            self.receiver,
            self.confidence,
            None,
            stream=stream,
            known=known,
        )

    def keep(self, call: Call) -> None:
        """Put a call into the module's findings; a guess at the same place is out of date."""
        walk = self.walk
        walk.module.calls[self.node] = call
        walk.module.unit_of[self.node] = walk.unit
        walk.analysis.started_at[self.node] = walk.started
        if self.confidence is not Confidence.GUESS:
            escape = walk.module.escapes.get(self.node)
            if escape is not None and escape.how is Escaping.UNKNOWN_ORIGIN:
                del walk.module.escapes[self.node]
