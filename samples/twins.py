"""``python -m samples.twins``: writes the jobs of ``legacy/`` as `migrate rewrite` leaves them."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from migrator.core import Changed, Failed
from migrator.run.rewriting import rewrite
from migrator.run.running import Options, check
from samples.catalogue import LEGACY, MIGRATED


def twins() -> dict[str, bytes]:
    """The rewritten jobs by file name; Python 2 is modernised first."""
    options = Options(handler=partial(rewrite, unsafe=False), python2=True, around=False)
    report = check([str(LEGACY)], options, processes=1)
    made = {}
    for result in report.results:
        path = Path(result.path)
        if isinstance(result, Failed):
            raise ValueError(f"{path.name} {result.reason}")
        made[path.name] = result.after if isinstance(result, Changed) else path.read_bytes()
    return made


def main() -> int:
    made = twins()
    MIGRATED.mkdir(exist_ok=True)
    for path in MIGRATED.iterdir():
        if path.is_file() and path.name not in made:
            path.unlink()
    for name, content in made.items():
        (MIGRATED / name).write_bytes(content)
    print(f"{len(made)} rewritten jobs in {MIGRATED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
