"""The command line of the migrator."""

import subprocess
import sys
from importlib.metadata import entry_points, version

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
