"""`migrate scan` from the outside: options, output, exit codes."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrator.cli import migrate

READY = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 2)
ssc.checkpoint("/checkpoints/a")
ssc.socketTextStream("localhost", 9999).pprint()
ssc.start()
ssc.awaitTermination()
"""
SECRET = "hunter2"
KAFKA = f"""\
import os
from pyspark.streaming import StreamingContext
from pyspark.streaming.kafka import KafkaUtils
ssc = StreamingContext(sc, 2)
stream = KafkaUtils.createStream(ssc, "{SECRET}:2181", "{SECRET}", {{"{SECRET}": 1}})
other = KafkaUtils.createDirectStream(
    ssc, ["{SECRET}"], {{"metadata.broker.list": "b:9092", "sasl.password": "{SECRET}"}},
    fromOffsets={{"{SECRET}": 1}}, messageHandler="{SECRET}",
)
if stream:
    stream.map(lambda x: (x, "{SECRET}")).collect("{SECRET}")
stream.reduceByKeyAndWindow(max, "{SECRET}", 4, slideDuration="{SECRET}")
stream.saveToCassandra(password="{SECRET}")
getattr(stream, "{SECRET}")("{SECRET}")
os.environ["PYSPARK_SUBMIT_ARGS"] = "--jars spark-streaming-kafka-0-8.jar {SECRET}"
ssc._jssc.stop("{SECRET}")
ssc.start()
"""


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scan(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(migrate, ["scan", *arguments], input=stdin)


def test_a_ready_job_passes() -> None:
    Path("job.py").write_text(READY)
    result = scan("job.py")
    assert result.exit_code == 0
    assert result.stdout.startswith("ready    job.py")
    assert "Readiness 100 %: 1 of 1 job ready.\n" in result.stdout
    assert result.stderr == ""


def test_an_error_is_exit_code_1() -> None:
    Path("job.py").write_text(KAFKA)
    assert scan("job.py").exit_code == 1


@pytest.mark.parametrize(
    ("level", "code"), [("error", 0), ("warning", 1), ("info", 1), ("never", 0)]
)
def test_fail_on_says_what_is_severe_enough(level: str, code: int) -> None:
    Path("job.py").write_text(READY)
    assert scan("job.py", "--fail-on", level).exit_code == code


def test_a_file_that_could_not_be_handled_is_exit_code_2_and_one_sentence() -> None:
    Path("good.py").write_text(KAFKA)
    Path("bad.py").write_text(READY + "def (:\n")
    result = scan(".")
    assert result.exit_code == 2
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("bad.py: ")]
    assert "is not Python 3: line 7" in line
    assert "good.py" in result.stdout
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Missing argument 'PATH…'"),
        (("nowhere",), "nowhere: no such file or directory"),
        (("--fail-on", "doom", "."), "Invalid value for '--fail-on'"),
        (("--select", "E501", "."), "--select: no rule's code begins with 'E501'"),
        (("--config", "nowhere.toml", "."), "nowhere.toml: cannot be read"),
        (("--format", "pdf", "."), "Invalid value for '--format'"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(arguments: tuple[str, ...], sentence: str) -> None:
    result = scan(*arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert "Traceback" not in result.output


def test_a_bad_setting_is_a_usage_error_that_names_the_file() -> None:
    Path("pyproject.toml").write_text("[tool.migrate]\nignroe = []\n")
    result = scan(".")
    assert result.exit_code == 2
    assert "pyproject.toml: [tool.migrate] has no setting ignroe; did you mean ignore?" in (
        result.stderr
    )


def test_settings_of_the_project_are_obeyed() -> None:
    Path("job.py").write_text(KAFKA)
    Path("pyproject.toml").write_text("[tool.migrate]\nselect = ['DS603']\n")
    result = scan("job.py", "--format", "json", "--fail-on", "warning")
    assert {finding["code"] for finding in json.loads(result.stdout)["findings"]} == {"DS603"}
    Path("pyproject.toml").write_text("[tool.migrate]\nexclude = ['job.py']\n")
    assert "No DStream jobs found." in scan(".").stdout


@pytest.mark.parametrize("format", ["text", "json", "sarif", "html"])
def test_no_format_repeats_values_from_the_code(format: str) -> None:
    Path("job.py").write_text(KAFKA)
    Path("submit.sh").write_text(f"spark-submit --conf password={SECRET} job.py --key {SECRET}\n")
    result = scan(".", "--format", format, "-v")
    assert result.exit_code == 1
    assert "DS804" in result.stdout
    assert SECRET not in result.output


def test_a_file_gets_the_report_in_the_format_of_its_name() -> None:
    Path("job.py").write_text(READY)
    result = scan("job.py", "-o", "reports/jobs.json")
    assert (result.stdout, result.stderr) == ("", "The report is in reports/jobs.json.\n")
    assert json.loads(Path("reports/jobs.json").read_text())["summary"]["ready"] == 1
    assert os.listdir("reports") == ["jobs.json"]


def test_a_report_that_cannot_be_written_is_one_sentence() -> None:
    Path("job.py").write_text(READY)
    Path("file").write_text("")
    result = scan("job.py", "-o", "file/report.html")
    assert result.exit_code == 2
    assert "file/report.html: cannot be written" in result.stderr


def test_devices_are_written_to_and_not_replaced() -> None:
    Path("job.py").write_text(READY)
    assert scan("job.py", "-o", os.devnull).exit_code == 0
    assert Path(os.devnull).is_char_device()


def test_for_programs_failures_are_told_on_standard_error() -> None:
    Path("bad.py").write_text(READY + "def (:\n")
    result = scan("bad.py", "-f", "json")
    assert json.loads(result.stdout)["failed"][0]["path"] == "bad.py"
    assert result.stderr.startswith("bad.py: is not Python 3")


def test_quiet_says_only_what_makes_it_fail() -> None:
    Path("job.py").write_text(READY)
    assert scan("-q", "job.py").output == ""
    Path("job.py").write_text(KAFKA)
    lines = scan("-q", "job.py").stdout.splitlines()
    assert lines
    assert all(line.startswith("job.py:") and " error DS" in line for line in lines)


def test_verbose_says_what_a_job_consists_of() -> None:
    Path("job.py").write_text(READY)
    assert "sources: socketTextStream\n" in scan("-v", "job.py").stdout


def test_standard_input_can_be_scanned() -> None:
    result = scan("-", stdin=READY)
    assert result.stdout.startswith("ready    -")


def test_a_job_that_is_already_rewritten_is_scanned_too() -> None:
    moved = READY.replace("pyspark.streaming", "dstream_compat")
    Path("job.py").write_text(moved + "if ssc.queueStream([]):\n    pass\n")
    found = json.loads(scan("job.py", "-f", "json").stdout)
    assert found["summary"]["jobs"] == 1
    assert "DS603" in {finding["code"] for finding in found["findings"]}
    assert not [f for f in found["findings"] if f["code"].startswith("DS1")]


def test_html_has_the_picture_of_the_job() -> None:
    Path("job.py").write_text(READY)
    page = scan("job.py", "-f", "html").stdout
    graph = page.partition('<div class="graph">')[2]
    assert graph.startswith("<svg")
    assert "socketTextStream" in graph


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a real process writes to a real terminal."""
    outer, inner = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-m", "migrator", "scan", *arguments],
        stdout=inner,
        stderr=inner,
        env=variables | environment,
    )
    os.close(inner)
    seen = b""
    try:
        while chunk := os.read(outer, 65536):
            seen += chunk
    except OSError:  # the end, on Linux
        pass
    finally:
        os.close(outer)
        process.wait(60)
    return seen.decode()


def test_colours_are_for_terminals_and_not_where_they_are_unwanted() -> None:
    Path("job.py").write_text(READY)
    assert "\x1b[" in on_a_terminal("job.py")
    assert "\x1b[" not in on_a_terminal("job.py", NO_COLOR="1")
    assert "\x1b[" not in scan("job.py").output


def test_a_long_run_shows_its_progress_on_a_terminal() -> None:
    for number in range(201):
        Path(f"job{number}.py").write_text(READY)
    assert "Reading files" in on_a_terminal(".")
    assert "Reading files" not in on_a_terminal("-q", ".")
    assert "Reading files" not in on_a_terminal("job1.py")
    assert "Reading files" not in scan(".").output
