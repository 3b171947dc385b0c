"""Modules that have to be analysed together."""

from __future__ import annotations

from migrator.bundles import batches, bundles
from migrator.discovery import File

STREAMS = "from pyspark.streaming import StreamingContext\n"


def grouped(files: dict[str, str]) -> list[list[str]]:
    made = bundles([File(path, text.encode()) for path, text in files.items()])
    return [[file.path for file in group] for group in made]


def test_files_without_a_hint_that_nobody_needs_are_left_out() -> None:
    assert grouped({"job.py": STREAMS, "other.py": "import os\n"}) == [["job.py"]]


def test_jobs_that_do_not_know_each_other_are_apart() -> None:
    assert grouped({"a.py": STREAMS, "b.py": STREAMS}) == [["a.py"], ["b.py"]]


def test_a_helper_without_a_hint_comes_along() -> None:
    files = {"job.py": f"{STREAMS}import helper\n", "helper.py": "import deeper\n", "deeper.py": ""}
    assert grouped(files) == [["deeper.py", "helper.py", "job.py"]]


def test_whoever_imports_a_module_with_streams_comes_along_with_what_it_hands_them_to() -> None:
    files = {
        "source.py": STREAMS,
        "main.py": "import source, sinks\nsinks.write(source.make())\n",
        "sinks.py": "def write(stream): stream.map(str)\n",
    }
    assert grouped(files) == [["main.py", "sinks.py", "source.py"]]


def test_a_helper_that_two_jobs_share_is_in_both_groups_and_does_not_join_them() -> None:
    files = {
        "a.py": f"{STREAMS}import config\n",
        "b.py": f"{STREAMS}import config\n",
        "config.py": "X = 1\n",
    }
    assert grouped(files) == [["a.py", "config.py"], ["b.py", "config.py"]]


def test_where_too_much_would_be_shared_everything_is_one_group() -> None:
    helpers = {f"helper{n}.py": f"import helper{n + 1}\n" for n in range(20)}
    jobs = {f"job{n}.py": f"{STREAMS}import helper0\n" for n in range(5)}
    assert [len(group) for group in grouped({**helpers, **jobs})] == [25]


def test_imports_are_found_however_they_are_written() -> None:
    for line in (
        "import helpers.sinks",
        "import os, helpers.sinks as s",
        "from helpers import sinks",
        "from helpers.sinks import write",
        "from helpers import (\n    other,\n    sinks,\n)",
        "from .helpers import sinks",
        "from . import helpers",
        "def f():\n    from helpers import sinks",
        "try: pass\nfinally: pass\nimport helpers.sinks; import os",
    ):
        files = {
            "p/job.py": f"{STREAMS}{line}\n",
            "p/helpers/__init__.py": "import p.helpers.sinks",
        }
        made = grouped({**files, "p/helpers/sinks.py": "", "p/unrelated.py": ""})
        assert "p/helpers/sinks.py" in made[0] or "p/helpers/__init__.py" in made[0], line
        assert "p/unrelated.py" not in made[0], line


def test_relative_imports_are_seen_from_the_module_and_others_from_above_it() -> None:
    files = {
        "a/jobs/job.py": f"{STREAMS}from ..common import x\nfrom common import y\n",
        "a/common.py": "",
        "b/common.py": "",
        "a/jobs/other/common.py": "",
    }
    assert grouped(files) == [["a/common.py", "a/jobs/job.py"]]


def test_sources_below_src_are_found_from_outside() -> None:
    files = {"bin/job.py": f"{STREAMS}import package.tools\n", "src/package/tools.py": ""}
    assert grouped(files) == [["bin/job.py", "src/package/tools.py"]]


def test_lines_of_a_notebook_import_too() -> None:
    cell = f'{{"source": [\n "{STREAMS.strip()}\\n",\n "import helper\\n"]}}'
    assert grouped({"x.ipynb": cell, "helper.py": ""}) == [["helper.py", "x.ipynb"]]


def test_batches_share_the_work_and_keep_groups_whole() -> None:
    groups = [[File(f"{n}.py", b"x" * n)] for n in (1, 2, 3, 4, 5, 6)]
    dealt = batches(groups, 2)
    assert sorted(file.path for batch in dealt for group in batch for file in group) == [
        f"{n}.py" for n in (1, 2, 3, 4, 5, 6)
    ]
    sizes = [sum(len(file.raw) for group in batch for file in group) for batch in dealt]
    assert max(sizes) - min(sizes) <= 1


def test_there_are_no_more_batches_than_groups() -> None:
    assert len(batches([[File("a.py", b"")]], 8)) == 1
