"""A run over many files."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from migrator.core import Changed, Failed, Finding, Readiness, Result, Skipped, Unchanged
from migrator.run import running as run
from migrator.run.config import Config
from migrator.run.rewriting import rewrite
from migrator.run.running import Options, Report, check
from migrator.text.documents import Document

JOB = """\
from pyspark import SparkContext
from pyspark.streaming import StreamingContext
ssc = StreamingContext(SparkContext(), 2)
ssc.checkpoint("/checkpoints/a")
ssc.socketTextStream("localhost", 9999).map(len).pprint()
ssc.start()
ssc.awaitTermination()
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(files: Mapping[str, str | bytes]) -> None:
    for path, text in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())


def by_path(report: Report) -> dict[str, Result]:
    return {result.path: result for result in report.results}


def test_a_job_that_needs_only_safe_fixes_is_ready(tree: Path) -> None:
    put({"job.py": JOB})
    report = check(["job.py"])
    (job,) = report.jobs
    assert (job.path, job.readiness) == ("job.py", Readiness.READY)
    assert job.uses == job.supported > 0


def test_a_file_without_a_hint_is_skipped(tree: Path) -> None:
    put({"other.py": "this is ( not even Python"})
    assert check(["other.py"]).results == (Skipped("other.py"),)


def test_one_broken_file_does_not_stop_the_others(tree: Path) -> None:
    put(
        {
            "a.py": JOB,
            "latin.py": b"from pyspark.streaming import StreamingContext\nx = '\xe9'\n",
            "syntax.py": JOB + "def (:\n",
            "nul.py": JOB + "x = '\0'\n",
            "unknown.py": b"# -*- coding: klingon -*-\n" + JOB.encode(),
            "z.py": JOB,
        }
    )
    report = check(["."])
    failed = {result.path: result.reason for result in report.failed}
    assert set(failed) == {"latin.py", "syntax.py", "nul.py", "unknown.py"}
    for reason in failed.values():
        assert "\n" not in reason
        assert "Traceback" not in reason
    assert {job.path for job in report.jobs_of(Readiness.READY)} == {"a.py", "z.py"}


def test_a_file_that_is_not_parsed_counts_as_a_job_that_is_unknown(tree: Path) -> None:
    put({"syntax.py": JOB + "def (:\n"})
    report = check(["syntax.py"])
    assert [(job.path, job.readiness) for job in report.jobs] == [("syntax.py", Readiness.UNKNOWN)]


def test_a_file_that_is_nested_too_deeply_is_named(tree: Path) -> None:
    put({"deep.py": JOB + "x = " + "(" * 5000 + "1" + ")" * 5000 + "\n", "job.py": JOB})
    report = check(["."])
    assert isinstance(by_path(report)["deep.py"], Failed)
    assert isinstance(by_path(report)["job.py"], Unchanged)


def test_a_chain_of_thousands_of_calls_ends_as_a_sentence_or_is_analysed(tree: Path) -> None:
    put({"long.py": JOB.replace(".map(len)", ".map(len)" * 3000), "job.py": JOB})
    report = check(["."])
    assert isinstance(by_path(report)["job.py"], Unchanged)
    long = by_path(report)["long.py"]
    assert isinstance(long, Unchanged) or "nested too deeply" in getattr(long, "reason", "")


def test_a_job_whose_module_cannot_be_parsed_is_unknown(tree: Path) -> None:
    put({"job.py": JOB + "import helper\n", "helper.py": "def (:\n"})
    report = check(["."])
    assert isinstance(by_path(report)["helper.py"], Failed)
    (job,) = report.jobs
    assert (job.path, job.readiness) == ("job.py", Readiness.UNKNOWN)


def test_streams_are_followed_across_the_files_of_a_run(tree: Path) -> None:
    put(
        {
            "job.py": """\
                from pyspark.streaming import StreamingContext
                import sinks
                ssc = StreamingContext(sc, 2)
                sinks.write(ssc.socketTextStream("localhost", 9999))
                ssc.start()
                """,
            "sinks.py": "def write(stream):\n    if stream:\n        stream.pprint()\n",
        }
    )
    codes = {(finding.path, finding.code) for finding in check(["."]).findings}
    assert ("sinks.py", "DS603") in codes


def test_a_comment_silences_and_is_counted(tree: Path) -> None:
    line = "if ssc.socketTextStream('h', 1): pass"
    put({"a.py": f"{JOB}{line}\n", "b.py": f"{JOB}{line}  # migrate: ignore[DS603]\n"})
    report = check(["."])
    assert [f.path for f in report.findings if f.code == "DS603"] == ["a.py"]
    assert report.ignored == 1


def test_rules_and_files_that_are_not_wanted_are_not_asked(tree: Path) -> None:
    put({"a.py": JOB, "old/b.py": JOB})
    report = check(["."], Options(Config(select=("DS1",), exclude=("old",))))
    assert {finding.code[:3] for finding in report.findings} == {"DS1"}
    assert set(by_path(report)) == {"a.py"}


def test_what_lies_around_is_looked_at_where_there_are_jobs(tree: Path) -> None:
    put({"requirements.txt": "pyspark==2.4.5\n", "other.py": "import os\n"})
    assert [*check(["."]).findings] == []
    put({"job.py": JOB})
    assert "DS803" in {finding.code for finding in check(["."]).findings}
    assert "DS803" not in {f.code for f in check(["."], Options(around=False)).findings}


def test_a_pin_in_setup_py_lies_around_too(tree: Path) -> None:
    put({"setup.py": 'setup(\n  install_requires=["six", "pyspark==2.4.5"],\n)\n', "job.py": JOB})
    (finding,) = [f for f in check(["."]).findings if f.code == "DS803"]
    assert (finding.path, finding.line) == ("setup.py", 2)


def test_what_lies_around_does_not_make_a_job_less_ready(tree: Path) -> None:
    put({"requirements.txt": "pyspark==2.4.5\n", "job.py": JOB})
    assert [job.readiness for job in check(["."]).jobs] == [Readiness.READY]


def test_what_lies_around_may_have_any_encoding(tree: Path) -> None:
    put(
        {
            "job.py": JOB,
            "a.sh": b"\xff\xfe spark-submit \xe9.py\n",
            "b.sh": b"\xef\xbb\xbfspark-submit a.py",
        }
    )
    assert [f.path for f in check(["."]).findings if f.code == "DS804"] == ["a.sh", "b.sh"]


def test_standard_input_is_a_file(tree: Path) -> None:
    report = check(["-"], stdin=JOB.encode())
    assert [job.path for job in report.jobs] == ["-"]


def test_many_files_on_several_processes_give_what_one_process_gives(tree: Path) -> None:
    put({f"team{n % 7}/job{n}.py": JOB.replace("len", f"len{n}") for n in range(150)})
    put({f"team{n % 7}/main{n}.py": f"import job{n}\n" for n in range(0, 150, 7)})
    put({"team1/broken.py": JOB + "def (:\n"})
    assert run._FILES_PER_PROCESS * 2 < 150
    done: list[int] = []
    several = check(["."], processes=2, progress=lambda new, total: done.append(new))
    assert several == check(["."], processes=1)
    assert sum(done) >= 151


def fall(document: Document, findings: Sequence[Finding]) -> Result:
    if "job77" in document.path:
        os._exit(1)
    return Unchanged(document.path)


def test_a_file_that_takes_its_process_down_is_named_and_the_others_are_done(tree: Path) -> None:
    put({f"job{n}.py": JOB for n in range(120)})
    report = check(["."], Options(handler=fall), processes=2)
    (failed,) = report.failed
    assert failed.path == "job77.py"
    assert "its process died" in failed.reason
    assert len(report.results) == 120


def shout(document: Document, findings: Sequence[Finding]) -> Result:
    return Changed(document.path, document.raw, document.raw.upper(), tuple(findings))


def test_a_handler_says_what_becomes_of_a_file(tree: Path) -> None:
    put({"job.py": JOB})
    (result,) = check(["job.py"], Options(handler=shout)).results
    assert isinstance(result, Changed)
    assert result.after == JOB.upper().encode()


def stumble(document: Document, findings: Sequence[Finding]) -> Result:
    raise KeyError("hunter2")


def test_a_mistake_of_ours_is_a_sentence_that_quotes_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put({"job.py": JOB})
    (failed,) = check(["job.py"], Options(handler=stumble)).failed
    assert failed.reason == (
        "could not be handled: handling it failed inside the migrator (KeyError)"
    )
    monkeypatch.setenv("MIGRATE_TRACEBACK", "1")
    with pytest.raises(KeyError):
        check(["job.py"], Options(handler=stumble))


def cell(code: str, *, listed: bool = True) -> str:
    source = code.splitlines(keepends=True) if listed else code
    return json.dumps({"cells": [{"cell_type": "code", "source": source}], "metadata": {}})


USED = "ssc = StreamingContext(sc, 1)\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "job.py",
            f"import findspark; findspark.init(); from common import StreamingContext\n{USED}",
        ),
        ("job.py", f"try: from common import StreamingContext\nexcept ImportError: pass\n{USED}"),
        ("job.py", f"from common \\\n    import StreamingContext\n{USED}"),
        ("job.py", f"import os\rfrom common import StreamingContext\r{USED}"),
        (
            "job.py",
            'c = __import__("importlib").import_module("common")\nc.StreamingContext(sc, 1)\n',
        ),
        ("job.py", 'c = __import__("common")\nc.StreamingContext(sc, 1)\n'),
        ("job.py", f'exec(open("common.py").read())\n{USED}'),
        ("job.py", f"from common import StreamingContext\nprint 1\n{USED}"),
        ("job.ipynb", cell(f"%run common.py\n{USED}")),
        ("job.ipynb", cell(f"from common import StreamingContext\n{USED}", listed=False)),
    ],
)
def test_an_import_that_another_file_may_take_is_not_deleted(
    tree: Path, path: str, text: str
) -> None:
    put({"common.py": "from pyspark.streaming import StreamingContext\n", path: text})
    found = by_path(check(["."], Options(handler=rewrite)))["common.py"]
    assert isinstance(found, Changed)
    assert found.after == b"from dstream_compat import StreamingContext\n"


def test_an_import_that_nobody_speaks_of_is_deleted(tree: Path) -> None:
    put({"common.py": "from pyspark.streaming import DStream\nX = 1\n", "job.py": JOB})
    put({"main.py": f"from common import X\n{JOB}"})
    found = by_path(check(["."], Options(handler=rewrite)))["common.py"]
    assert isinstance(found, Changed)
    assert found.after == b"X = 1\n"


@pytest.mark.parametrize("package", [{}, {"pkg/__init__.py": ""}])
def test_a_module_is_followed_by_its_dotted_name(tree: Path, package: dict[str, str]) -> None:
    helper = "def go(ssc):\n    ssc.socketTextStream('h', 1).pprint()\n"
    job = (
        "import pkg.mod\nfrom pyspark.streaming import StreamingContext\n"
        "ssc = StreamingContext(sc, 1)\npkg.mod.go(ssc)\nssc.start()\nssc.awaitTermination()\n"
    )
    put({**package, "pkg/mod.py": helper, "job.py": job})
    (report,) = check(["."]).jobs
    assert (report.readiness, report.modules) == (Readiness.READY, ("job.py", "pkg/mod.py"))


@pytest.mark.parametrize(
    "library",
    [
        "from pyspark.streaming import StreamingContext\n",
        "from pyspark.streaming import DStream\ndef show(s: DStream):\n    s.pprint()\n",
    ],
)
def test_a_file_that_makes_no_context_is_no_job(tree: Path, library: str) -> None:
    put({"library.py": library})
    report = check(["."])
    assert not report.jobs
    assert list(report.findings)


def test_a_library_counts_for_the_job_that_imports_it(tree: Path) -> None:
    put({"library.py": "def show(stream):\n    stream.collect()\n"})
    put(
        {"job.py": JOB.replace("ssc.start", "import library\nlibrary.show(ssc.union())\nssc.start")}
    )
    (job,) = check(["."]).jobs
    assert (job.modules, job.readiness) == (("job.py", "library.py"), Readiness.BLOCKED)


def test_a_context_that_may_be_made_in_an_unread_cell_makes_a_job(tree: Path) -> None:
    cells = ["%%spark\nssc = StreamingContext(sc, 1)\n", "ssc.socketTextStream(h, 1).pprint()\n"]
    listed = [{"cell_type": "code", "source": code} for code in cells]
    put({"job.ipynb": json.dumps({"cells": listed, "metadata": {}})})
    (job,) = check(["."]).jobs
    assert job.readiness is Readiness.UNKNOWN


HALVES = {
    "pipeline.py": """\
        from pyspark.streaming.kafka import KafkaUtils
        def build(ssc):
            return KafkaUtils.createDirectStream(ssc, ["t"], {"bootstrap.servers": "b"})
        """,
    "main.py": """\
        from pyspark.streaming import StreamingContext
        from pipeline import build
        ssc = StreamingContext(sc, 1)
        build(ssc).pprint()
        ssc.start()
        ssc.awaitTermination()
        """,
}


@pytest.mark.parametrize("comment", ["  # migrate: ignore", "  # migrate: ignore[DS101]"])
def test_a_comment_that_keeps_half_a_job_back_is_told_in_the_other_half(
    tree: Path, comment: str
) -> None:
    put(HALVES)
    first, line, rest = Path("pipeline.py").read_text().partition("\n")
    Path("pipeline.py").write_text(first + comment + line + rest)
    report = check(["."])
    (finding,) = [f for f in report.findings if f.code == "DS108"]
    assert (finding.path, "pipeline.py" in finding.message) == ("main.py", True)
    assert report.ignored == 1


def test_so_is_a_setting(tree: Path) -> None:
    put(HALVES)
    half = Options(Config(per_file_ignores={"pipeline.py": ("DS1",)}))
    assert [f.path for f in check(["."], half).findings if f.code == "DS108"] == ["main.py"]
    whole = Options(Config(per_file_ignores={"*.py": ("DS101",)}))
    assert "DS108" not in {f.code for f in check(["."], whole).findings}
    assert "DS108" not in {
        f.code for f in check(["."], Options(Config(ignore=("DS101",)))).findings
    }


def test_a_job_without_such_comments_is_whole(tree: Path) -> None:
    put(HALVES)
    assert "DS108" not in {f.code for f in check(["."]).findings}
