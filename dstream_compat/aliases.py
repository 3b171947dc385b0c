"""Makes ``import pyspark.streaming`` give this package, for jobs that are not edited yet."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

_LEGACY = "pyspark.streaming"
_OURS = "dstream_compat"
_MODULES = {
    *("", ".context", ".dstream", ".listener", ".util"),
    *(".kafka", ".kinesis", ".mqtt", ".flume"),
}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        part = fullname.removeprefix(_LEGACY)
        if not fullname.startswith(_LEGACY) or part[:1] not in ("", "."):
            return None
        if part not in _MODULES:
            raise ModuleNotFoundError(
                f"dstream_compat has no counterpart of {fullname}", name=fullname
            )
        return importlib.util.spec_from_loader(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return importlib.import_module(_OURS + spec.name.removeprefix(_LEGACY))

    def exec_module(self, module: ModuleType) -> None:
        pass  # our module, already executed


def install() -> None:
    """Replace ``pyspark.streaming`` and its submodules by ours, in this process, from now on."""
    for name in [n for n in sys.modules if n == _LEGACY or n.startswith(_LEGACY + ".")]:
        del sys.modules[name]
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
