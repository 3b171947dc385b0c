"""``python -m dstream_compat job.py [arguments]``: run a legacy job, unchanged, on this engine."""

from __future__ import annotations

import os
import runpy
import sys

USAGE = """usage: python -m dstream_compat job.py [arguments]
       spark-submit "$(python -m dstream_compat --where)" job.py [arguments]

Runs a job written for pyspark.streaming on dstream_compat, without changing it. In this process,
pyspark.streaming and its submodules are those of dstream_compat.

  --where    print the path of this script, for spark-submit
  --help     show this help
"""


def main(arguments: list[str]) -> int:
    """Run ``arguments[0]`` with the rest as its arguments; returns 2 if it cannot be run."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0] == "--where":
        print(os.path.abspath(__file__))
        return 0
    job = arguments[0]
    if job.startswith("-"):
        print(f"dstream_compat: unknown option {job}; see --help", file=sys.stderr)
        return 2
    if not os.path.isfile(job):
        print(f"dstream_compat: {job} is not a file", file=sys.stderr)
        return 2
    package = os.path.dirname(os.path.abspath(__file__))
    # run as a script, this file's directory is first on the path: its modules must not be top-level
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != package]
    from dstream_compat import aliases
    from dstream_compat.base.requirements import check_pyspark

    try:
        check_pyspark()
    except ImportError as error:
        print(error, file=sys.stderr)
        return 2
    aliases.install()
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(job)))
    runpy.run_path(job, run_name="__main__")
    return 0


def _leave_out_working_directory() -> None:
    """``python -m`` puts it first on the path, where ``python job.py`` has the job's alone."""
    here = os.getcwd()
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if sys.path and sys.path[0] in ("", here) and here not in named:
        del sys.path[0]


if __name__ == "__main__":
    if __package__:  # run by -m
        _leave_out_working_directory()
    sys.exit(main(sys.argv[1:]))
