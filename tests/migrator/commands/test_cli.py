"""The command line of the migrator."""

import os
import subprocess
import sys
from importlib.metadata import entry_points, version

import pytest
from click.testing import CliRunner

from migrator import __version__
from migrator.cli import migrate

COMMANDS = ("explain", "graph", "record", "rewrite", "rules", "scan", "undo", "verify")


def test_an_interrupt_while_a_command_is_loaded_is_no_traceback() -> None:
    code = """
import importlib, migrator.cli
def interrupted(name):
    raise KeyboardInterrupt
importlib.import_module = interrupted
migrator.cli.main()
"""
    command = [sys.executable, "-c", code, "scan", "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "Aborted!")


def test_an_unknown_command_is_a_usage_error() -> None:
    result = CliRunner().invoke(migrate, ["scam"])
    assert result.exit_code == 2
    assert "No such command 'scam'" in result.stderr


def test_help_lists_every_command() -> None:
    result = CliRunner().invoke(migrate, ["--help"])
    assert result.exit_code == 0
    listed = result.stdout.partition("Commands:")[2]
    assert [line.split()[0] for line in listed.splitlines() if line.strip()] == [*COMMANDS]


def test_version_is_that_of_the_installed_distribution() -> None:
    assert version("dstream-migrate") == __version__
    result = CliRunner().invoke(migrate, ["--version"])
    assert result.stdout == f"migrate, version {__version__}\n"


def test_both_console_scripts_lead_to_the_command_line() -> None:
    scripts = {script.name: script.value for script in entry_points(group="console_scripts")}
    assert scripts["migrate"] == scripts["dstream-migrate"] == "migrator.cli:main"


def test_python_dash_m_migrator_is_migrate() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "migrator", "--help"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("Usage: migrate [OPTIONS] COMMAND")


WITHOUT_SPARK = """
import importlib, pkgutil, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "pyarrow", "pandas", "dstream_compat"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())
import migrator
for module in pkgutil.walk_packages(migrator.__path__, "migrator."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print("migrator.cli" in sys.modules)
"""


def test_no_module_of_the_migrator_needs_spark() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_SPARK], capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("True\n", "", 0)


JOB = """\
from pyspark.streaming import StreamingContext
ssc = StreamingContext(sc, 1)
ssc.socketTextStream("\u4e00", 1).map(\u03b5).pprint()
"""


def in_latin_1(*arguments: str, given: str = JOB) -> subprocess.CompletedProcess[bytes]:
    """A run of `migrate` whose standard output and error cannot hold all characters."""
    return subprocess.run(
        [sys.executable, "-m", "migrator", *arguments],
        input=given.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "latin-1:strict"},
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    ["scan -", "graph -", "explain DS101", "rules", "rewrite --check -v -", "--help"],
)
def test_what_an_encoding_does_not_have_is_a_question_mark(command: str) -> None:
    done = in_latin_1(*command.split())
    assert done.returncode in (0, 1)
    assert b"Traceback" not in done.stderr
    assert "\u2192".encode() not in done.stdout + done.stderr
    assert done.stdout + done.stderr


@pytest.mark.parametrize("format", ["json", "sarif", "html"])
def test_reports_for_programs_are_utf_8_everywhere(format: str) -> None:
    done = in_latin_1("scan", "-f", format, "-")
    assert done.returncode in (0, 1)
    assert "?" not in done.stdout.decode("utf-8").replace("<?", "")


def test_code_on_standard_output_keeps_its_bytes() -> None:
    moved = JOB.replace("pyspark.streaming", "dstream_compat").encode()
    assert in_latin_1("rewrite", "-").stdout == moved
    assert JOB.splitlines()[2].encode() in in_latin_1("rewrite", "--diff", "-").stdout
