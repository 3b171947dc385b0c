"""Elements that a job pickled, in production or here: named tuples and classes found by name."""

from __future__ import annotations

import collections
import functools
import io
import pickle
from typing import Any

from dstream_parity.verify.errors import Refused

# legacy: Spark 2 and 3 make every named tuple that they pickle a call of this function
_RESTORE = ("pyspark.serializers", "_restore")


def load(raw: bytes) -> Any:
    """An element of a recording. Runs its code; raises Refused if it cannot be loaded."""
    # Python 2 wrote protocol 2, with str for what may be text
    return _Unpickler(io.BytesIO(raw), encoding="latin-1").load()


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == _RESTORE:
            return named_tuple
        if module == "__main__":
            raise Refused(
                f"an element is an instance of {name}, a class of the job's own file, which cannot "
                "be imported: move the class to a module next to the job, or record with a mask"
            )
        try:
            return super().find_class(module, name)
        except Exception as error:
            raise Refused(
                f"an element needs {module}.{name}, which cannot be imported here "
                f"({type(error).__name__}): put the module next to the job or install it"
            ) from None


def named_tuple(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    """A named tuple of a class made for these fields; the same name and fields give one class."""
    return _class(name, tuple(fields))(*values)


@functools.cache
def _class(name: str, fields: tuple[str, ...]) -> Any:
    base = collections.namedtuple(name, fields, rename=True)  # type: ignore[misc]
    return type(name, (base,), {"__slots__": (), "__module__": __name__, "__reduce__": _reduced})


def _reduced(self: Any) -> tuple[Any, ...]:
    return named_tuple, (type(self).__name__, type(self)._fields, (*self,))


def taken_apart(value: Any) -> tuple[Any, ...] | None:
    """The arguments of :func:`named_tuple` for a value that is one and nothing more."""
    fields = getattr(type(value), "_fields", None)
    if not isinstance(value, tuple) or not isinstance(fields, tuple):
        return None
    return None if getattr(value, "__dict__", None) else (type(value).__name__, fields, (*value,))
