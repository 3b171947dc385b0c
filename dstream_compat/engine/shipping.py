"""Getting this package into Python workers that know nothing of it.

What is sent with a task is a small *loader* (pickled by value) with the compiled modules of this
package; the first task of a worker installs them, later ones find them there. So executors need
pyspark and pyarrow and no more, and always run the driver's version.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pyspark import cloudpickle

Shipment = tuple[str, bytes]  # digest, compressed and marshalled {module: (is package, code)}

# all that `stages.worker` imports, and what a job that is recorded runs on workers
_SHIPPED = {"record.py", "engine/orders.py"}
_ROOMS = ("base/", "stages/")
_PACKAGES = {"__init__.py", "engine/__init__.py"}


def _for_workers(path: str) -> bool:
    return path in _SHIPPED or path.startswith(_ROOMS) or path in _PACKAGES


@lru_cache(maxsize=1)
def shipment() -> Shipment:
    """This package, compiled for workers of the same Python version."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    package = os.path.basename(root)
    modules: dict[str, tuple[bool, Any]] = {}
    for folder, _, files in sorted(os.walk(root)):
        for file in sorted(files):
            if not file.endswith(".py"):
                continue
            path = os.path.join(folder, file)
            relative = os.path.relpath(path, os.path.dirname(root))
            if not _for_workers(os.path.relpath(path, root).replace(os.sep, "/")):
                continue
            is_package = file == "__init__.py"
            name = os.path.dirname(relative) if is_package else relative[:-3]
            with open(path, encoding="utf-8") as source:
                # without docstrings: the package goes along with every task
                code = compile(source.read(), relative, "exec", dont_inherit=True, optimize=2)
            modules[name.replace(os.sep, ".")] = (is_package, code)
    content = zlib.compress(marshal.dumps(modules))
    return hashlib.sha256(content + package.encode()).hexdigest(), content


def install(shipped: Shipment) -> None:
    """Make the shipped package importable in this process.

    Users' modules that functions come from may import the driver's side of the package as well
    (``from dstream_compat import StreamingContext``): that works, but what they get is an empty
    class that refuses to be called.
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
    # the loader itself must go by value: where it arrives there is no module to find it in
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]

    def call(*more: Any) -> Any:
        install(shipped)
        from dstream_compat.stages import worker

        return getattr(worker, name)(*arguments, *more)

    return call
