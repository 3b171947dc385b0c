"""What the README and the documentation promise of the migrator is so."""

from __future__ import annotations

import ast
import json
import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from migrator import report
from migrator.cli import migrate
from migrator.run import config
from tests.migrator.report import REPORT

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCAN = (ROOT / "docs/scan.md").read_text(encoding="utf-8")
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def side(diff: str, marks: str) -> str:
    """The lines of a diff that are in one of its two files."""
    lines = (line for line in diff.splitlines() if not line or line[0] in marks)
    return "".join(f"{line[1:]}\n" for line in lines)


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@pytest.mark.parametrize("diff", blocks(README, "diff"))
def test_a_diff_in_the_readme_is_what_rewrite_does(diff: str) -> None:
    before, after = side(diff, " -"), side(diff, " +")
    options = [] if parses(before) else ["--python2"]
    result = CliRunner().invoke(migrate, ["rewrite", *options, "-"], input=before)
    assert result.exit_code in (0, 1)
    assert result.stdout == after
    assert before != after


def test_the_readme_has_diffs() -> None:
    assert len(blocks(README, "diff")) >= 4


def test_commands_in_the_readme_exist() -> None:
    lines = [line for block in blocks(README, "console") for line in block.splitlines()]
    used = {line.split()[2] for line in lines if line.startswith("$ migrate ")}
    assert used == {"scan", "rewrite", "verify", "explain"}
    assert used <= set(migrate.list_commands(click.Context(migrate)))


def test_the_settings_in_the_documentation_are_settings(tmp_path: Path) -> None:
    (text,) = blocks(SCAN, "toml")
    path = tmp_path / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    made = config.read(str(path))
    assert made.select == ("DS",)
    assert made.exclude == ("vendor", "jobs/old")
    assert made.per_file_ignores == {"tests/*": ("DS4", "DS606")}


def test_the_fields_of_json_are_those_of_the_documentation() -> None:
    told = json.loads(report.render(REPORT, "json"))
    table = {
        key: set(re.findall(r"`(\w+)`", text))
        for key, text in re.findall(r"^\| `(\w+)` \| (.*) \|$", SCAN, re.MULTILINE)
    }
    assert set(table) == set(told)
    for key, value in told.items():
        if key == "version":
            continue
        fields = set(value if isinstance(value, dict) else value[0])
        values = {"safe", "unsafe", "sources", "operators", "outputs"}
        assert table[key] - values == fields, key


def test_the_example_of_a_github_action_is_yaml_and_its_commands_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").write_text("from pyspark.streaming import StreamingContext\n")
    action = yaml.safe_load(blocks(SCAN, "yaml")[1])
    steps = [step["run"] for step in action["jobs"]["scan"]["steps"] if "run" in step]
    commands = [shlex.split(step)[1:] for step in steps if step.startswith("migrate")]
    assert len(commands) == 3
    for command in commands:
        result = CliRunner().invoke(migrate, command)
        assert result.exit_code == 0, (command, result.output)
    assert (tmp_path / "dstreams.sarif").exists()
    assert (tmp_path / "dstreams.html").exists()


def hooked(hook: dict[str, Any], *staged: str) -> Result:
    """What pre-commit runs for staged files."""
    name, *arguments = shlex.split(hook["entry"])
    assert name == "migrate"
    files = staged if hook.get("pass_filenames", True) else ()
    return CliRunner().invoke(migrate, [*arguments, *files])


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_fails_on_a_job_that_is_not_moved(
    hook: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text(
        "from pyspark.streaming import StreamingContext\n"
        "from pyspark.streaming.flume import FlumeUtils\n"
        "ssc = StreamingContext(sc, 1)\n"
        "FlumeUtils.createStream(ssc, 'localhost', 1).pprint()\n"
    )
    assert hooked(hook, "job.py").exit_code == 1
    Path("job.py").write_text("import os\n")
    assert hooked(hook, "job.py").exit_code == 0


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: str(hook["id"]))
def test_a_hook_looks_at_the_whole_job_whatever_is_staged_of_it(
    hook: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.py").write_text("from common import ssc\nssc.socketTextStream('h', 1).pprint()\n")
    Path("common.py").write_text(
        "from pyspark.streaming import StreamingContext\nssc = StreamingContext(sc, 1)\n"
        "print(ssc.sparkContext._jvm, ssc._jssc)\n"
    )
    assert "common.py" in hooked(hook, "job.py").output


def test_the_hooks_of_the_documentation_are_those_of_the_file() -> None:
    example = yaml.safe_load(blocks(SCAN, "yaml")[0])
    used = [hook["id"] for hook in example["repos"][0]["hooks"]]
    assert used == [hook["id"] for hook in HOOKS]
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "types_or"} <= set(hook)
        assert hook["language"] == "python"
