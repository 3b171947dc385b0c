"""What the user asked for, as the command line passes it on."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields

from dstream_parity.verify.errors import Refused


@dataclass(frozen=True)
class Request:
    """One call of ``migrate verify``."""

    job: str
    arguments: tuple[str, ...] = ()
    rewritten: str | None = None
    inputs: tuple[str, ...] = ()
    """``PATH`` or ``SOURCE=PATH``."""
    against: str = "legacy"
    """``legacy`` or ``recorded``."""
    sample: tuple[str, ...] = ()
    """``FILE`` or ``SOURCE=FILE``: lines to make batches from."""
    examples: int = 50
    seed: int | None = None
    batches: int | None = None
    prelude: str | None = None
    shell: bool = False
    run_outputs: bool = False
    ordered: bool = False
    strict: bool = False
    show_values: bool = False
    trust: bool = False
    graph_timeout: float = 180.0
    batch_timeout: float = 120.0
    json: str | None = None
    html: str | None = None
    save_test: str | None = None
    verbose: bool = False
    repeat: bool = True
    """Whether the reference is compared with itself first. Not an option: reports say so if not."""

    @classmethod
    def from_json(cls, text: str) -> Request:
        """The request in ``text``; raises Refused if that is not one."""
        try:
            given = json.loads(text)
            known = {field.name for field in fields(cls)}
            if not isinstance(given, dict) or not given.keys() <= known or "job" not in given:
                raise ValueError
        except ValueError:
            raise Refused("this module is started by `migrate verify`; see --help there") from None
        for name in ("arguments", "inputs", "sample"):
            given[name] = tuple(given.get(name, ()))
        return cls(**given)
