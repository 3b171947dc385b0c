"""Observations that pass between processes: the job's classes travel by name, without code.

Elements may be instances of classes that only the job's process knows. The comparing process puts
an empty class of the same name in place of one that it cannot import. The comparison looks at names
and at what pickle wrote, so equal elements stay equal.
"""

from __future__ import annotations

import importlib.util
import io
import pickle
import sys
from collections.abc import Iterator
from typing import IO, Any

from dstream_parity.verify.child.job import is_installed
from dstream_parity.verify.inputs import pickled


def dump(value: Any, file: IO[bytes]) -> None:
    _Pickler(file, 4).dump(value)


def load(file: IO[bytes]) -> Any:
    return _Unpickler(io.BytesIO(file.read())).load()


def there_and_back(value: Any) -> Any:
    """A value as it would come from another process."""
    file = io.BytesIO()
    dump(value, file)
    file.seek(0)
    return load(file)


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        parts = pickled.taken_apart(obj)
        if parts is not None:  # all that a recording knows about a named tuple
            return pickled.named_tuple, parts
        # by name, even where pickle would insist on the very same class
        if isinstance(obj, type) and obj.__module__ != "builtins":
            return named, (obj.__module__, obj.__qualname__)
        if callable(obj) and hasattr(obj, "__qualname__") and "<" in obj.__qualname__:
            return named, (obj.__module__, obj.__qualname__)
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        return named(module, name)


_MADE: dict[tuple[str, str], Any] = {}


def named(module: str, name: str) -> Any:
    """The class or function of that name, or a stand-in for it."""
    if (module, name) not in _MADE:
        _MADE[module, name] = _imported(module, name) or _stand_in(module, name)
    return _MADE[module, name]


def _imported(module: str, name: str) -> Any:
    if not _is_installed(module.partition(".")[0]):
        return None
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found
    except Exception:
        return None


def _is_installed(package: str) -> bool:
    """Whether it is not the job's: its modules must not run here, where nothing is patched."""
    if package in sys.stdlib_module_names:
        return True
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and is_installed(spec.origin)


def _stand_in(module: str, name: str) -> type:
    attributes = {"__module__": module, "__qualname__": name}
    return type(name.rpartition(".")[2], (StandIn,), attributes)


class StandIn:
    """An instance of an unknown class: what pickle wrote about it, and no more."""

    def __new__(cls, *args: Any, **named: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__.update(args=args, named=named, state=None, items=[])
        return made

    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        self.__dict__["state"] = state

    def append(self, item: Any) -> None:
        self.__dict__["items"].append(item)

    def __setitem__(self, key: Any, item: Any) -> None:
        self.__dict__["items"].append((key, item))

    def __reduce_ex__(self, protocol: Any) -> Any:
        known = self.__dict__
        content = (known["args"], known["named"], known["state"], known["items"])
        return named, (type(self).__module__, type(self).__qualname__), content

    def __repr__(self) -> str:
        content: Iterator[Any] = iter(self.__dict__["args"] or self.__dict__["items"])
        inside = ", ".join(map(repr, content)) or repr(self.__dict__["state"])
        return f"{type(self).__qualname__}({inside})"
