"""Getting ``base`` and ``stages`` into Python workers that do not have this package.

Each task brings a small *loader* (pickled by value) with the compiled modules. The first task of a
worker installs them, later ones find them there. So executors need only pyspark and pyarrow, and
always run the driver's version.
"""

from __future__ import annotations

import hashlib
import marshal
import sys
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from pyspark import cloudpickle

Shipment = tuple[str, bytes]  # digest, compressed and marshalled {module: (is package, code)}

_ROOT = Path(__file__).resolve().parents[1]
_ROOMS = ("base", "stages")
_ALONE = ("__init__.py", "record.py")  # the package's names; the recorder, which needs no room


def shipped_modules() -> dict[str, Path]:
    """The modules that workers are sent, by name."""
    paths = [_ROOT / name for name in _ALONE]
    for room in _ROOMS:
        paths += sorted((_ROOT / room).rglob("*.py"))
    return {_module(path.relative_to(_ROOT.parent)): path for path in paths}


def _module(path: Path) -> str:
    return ".".join(path.parts[:-1] if path.name == "__init__.py" else path.with_suffix("").parts)


@lru_cache(maxsize=1)
def shipment() -> Shipment:
    """This package's modules for workers, compiled for the same Python version."""
    modules: dict[str, tuple[bool, Any]] = {}
    for name, path in shipped_modules().items():
        is_package = path.name == "__init__.py"
        shown = str(path.relative_to(_ROOT.parent))  # in tracebacks
        source = path.read_text(encoding="utf-8")
        # without docstrings: the modules go along with every task
        code = compile(source, shown, "exec", dont_inherit=True, optimize=2)
        modules[name] = (is_package, code)
    content = zlib.compress(marshal.dumps(modules))
    return hashlib.sha256(content).hexdigest(), content


def install(shipped: Shipment) -> None:
    """Make the shipped modules importable in this process.

    A user's module may also import what runs in the driver (``from dstream_compat import
    StreamingContext``). That works, but gives an empty class that refuses to be called.
    """
    import importlib.abc
    import importlib.util
    import marshal
    import sys
    import zlib

    digest, content = shipped
    package = "dstream_compat"
    for finder in sys.meta_path:
        if getattr(finder, "dstream_compat_digest", None) == digest:
            return
    modules = marshal.loads(zlib.decompress(content))

    def driver_only(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)

        def refuse(self: Any, *args: Any, **named: Any) -> None:
            raise RuntimeError(f"{package}'s {name} is for the driver; a worker cannot use it")

        subscript = classmethod(lambda cls, item: cls)
        return type(name, (), {"__init__": refuse, "__class_getitem__": subscript})

    class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        dstream_compat_digest = digest

        def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
            if fullname not in modules and not fullname.startswith(package + "."):
                return None
            is_package = fullname not in modules or modules[fullname][0]
            return importlib.util.spec_from_loader(
                fullname, self, origin=fullname, is_package=is_package
            )

        def exec_module(self, module: Any) -> None:
            if module.__name__ not in modules:
                module.__getattr__ = driver_only
                return
            code = modules[module.__name__][1]
            module.__file__ = code.co_filename
            exec(code, module.__dict__)

    sys.meta_path[:] = [f for f in sys.meta_path if not hasattr(f, "dstream_compat_digest")]
    sys.meta_path.insert(0, Finder())
    for name in [n for n in sys.modules if n == package or n.startswith(package + ".")]:
        del sys.modules[name]


def on_workers(name: str, *arguments: Any) -> Callable[..., Any]:
    """A function for workers: installs the package there, then calls ``worker.<name>``.

    >>> on_workers("run_frames", b"…")  # doctest: +ELLIPSIS
    <function on_workers.<locals>.call at ...>
    """
    shipped = shipment()
    # the loader itself must go by value: where it arrives, its module is not installed
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

    def call(*more: Any) -> Any:
        install(shipped)
        from dstream_compat.stages import worker

        return getattr(worker, name)(*arguments, *more)

    return call
