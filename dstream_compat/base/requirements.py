"""What has to be installed, said in one sentence before something fails without it."""

from __future__ import annotations

import re
from importlib.util import find_spec

_LEAST = (4, 2)
_HELP = "pip install 'dstream-migrate[spark]'"


def check_pyspark() -> None:
    """Refuse a Spark that lacks what the engine is built on."""
    try:
        from pyspark import __version__ as version
    except ImportError:
        raise ImportError(f"dstream_compat needs pyspark 4.2 or later: {_HELP}") from None
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < _LEAST:
        raise ImportError(
            f"dstream_compat needs pyspark 4.2 or later, this is {version}; what a job does on its "
            "own Spark can be recorded there (migrate record) and compared elsewhere"
        )


def check_libraries(state: bool) -> None:
    """Refuse to start a job whose workers would fail, batch after batch."""
    needed = {"pyarrow": "pyarrow", "pandas": "pandas", "google.protobuf": "protobuf"}
    if not state:
        del needed["google.protobuf"]
    for module, name in needed.items():
        if not _is_there(module):
            what = "State" if name == "protobuf" else "dstream_compat"
            raise ImportError(f"{what} needs {name}, which is not installed: {_HELP}")


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even the package it is in
        return False
