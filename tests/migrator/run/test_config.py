"""Settings in pyproject.toml, and comments in the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.run import config
from migrator.run.config import BadConfig, Config, ignored, unwanted
from migrator.text.source import PythonSource
from tests.migrator.report import finding


def written(directory: Path, text: str) -> str:
    path = directory / "pyproject.toml"
    path.write_text(text)
    return str(path)


def test_without_a_pyproject_everything_is_wanted(tmp_path: Path) -> None:
    found = config.find([str(tmp_path)])
    assert found.wants("DS101")
    assert not found.excludes("jobs/a.py")


def test_the_nearest_pyproject_with_a_table_counts(tmp_path: Path) -> None:
    (tmp_path / "jobs/deep").mkdir(parents=True)
    written(tmp_path, "[tool.migrate]\nignore = ['DS603']\n")
    written(tmp_path / "jobs", "[project]\nname = 'x'\n")
    job = tmp_path / "jobs/deep/a.py"
    job.write_text("")
    assert config.find([str(job)]).ignore == ("DS603",)


def test_several_paths_share_the_settings_of_what_is_above_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, f"[tool.migrate]\nexclude = ['{name}']\n")
    written(tmp_path, "[tool.migrate]\nexclude = ['both']\n")
    assert config.find([str(tmp_path / "a"), str(tmp_path / "b")]).exclude == ("both",)
    assert config.find([str(tmp_path / "a")]).exclude == ("a",)


def test_the_longer_beginning_of_a_code_decides() -> None:
    chosen = Config(select=("DS6", "DS301"), ignore=("DS603", "DS3"))
    assert [
        code for code in ("DS601", "DS603", "DS301", "DS310", "DS101") if chosen.wants(code)
    ] == [
        "DS601",
        "DS301",
    ]


def test_options_of_the_command_line_add_to_ignore_and_replace_select() -> None:
    base = Config(select=("DS1",), ignore=("DS603",), exclude=("old",))
    made = base.overridden(select=("DS6",), ignore=("DS8",), exclude=("new",))
    assert (made.select, made.ignore, made.exclude) == (("DS6",), ("DS603", "DS8"), ("old", "new"))


def test_patterns_are_seen_from_the_directory_of_the_file(tmp_path: Path) -> None:
    made = config.read(
        written(
            tmp_path,
            "[tool.migrate]\nexclude = ['jobs/old']\n"
            "[tool.migrate.per-file-ignores]\n'jobs/legacy_*.py' = ['DS6']\n",
        )
    )
    assert made.excludes(str(tmp_path / "jobs/old/a.py"))
    assert not made.excludes(str(tmp_path / "jobs/new/a.py"))
    assert not made.keeps(finding("DS603", str(tmp_path / "jobs/legacy_a.py")))
    assert made.keeps(finding("DS201", str(tmp_path / "jobs/legacy_a.py")))
    assert made.keeps(finding("DS603", str(tmp_path / "jobs/a.py")))


def test_a_directory_above_the_project_excludes_nothing(tmp_path: Path) -> None:
    project = tmp_path / "old" / "project"
    project.mkdir(parents=True)
    made = config.read(written(project, "[tool.migrate]\nexclude = ['old']\n"))
    assert not made.excludes(str(project / "job.py"))
    assert made.excludes(str(project / "old" / "job.py"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[tool.migrate]\nselct = ['DS1']\n", "has no setting selct; did you mean select?"),
        ("[tool.migrate]\nx = 1\n", "has no setting x; the settings are select, ignore, exclude"),
        ("[tool.migrate]\nselect = 'DS1'\n", "select must be a list of strings"),
        ("[tool.migrate]\nignore = ['DS1', 2]\n", "ignore must be a list of strings"),
        ("[tool.migrate]\nignore = ['E501']\n", "ignore: no rule's code begins with 'E501'"),
        ("[tool.migrate]\nper-file-ignores = ['a']\n", "per-file-ignores must be a table"),
        (
            "[tool.migrate.per-file-ignores]\n'*.py' = ['DS999']\n",
            "no rule's code begins with 'DS999'",
        ),
        ("[tool]\nmigrate = 3\n", "tool.migrate must be a table"),
        ("[tool.migrate\n", "is not TOML"),
        ("[project]\n", "has no table [tool.migrate]"),
    ],
)
def test_what_cannot_be_meant_is_said_with_the_file_and_the_key(
    tmp_path: Path, text: str, reason: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadConfig) as raised:
        config.read(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert reason in str(raised.value)


def comments(text: str, *, python: bool = True) -> dict[int, tuple[str, ...]]:
    return unwanted(PythonSource.read("job.py", text.encode()), python=python)


def test_a_comment_names_codes_or_means_all() -> None:
    text = (
        "a  # migrate: ignore[DS310]\nb  # migrate: ignore[DS310, DS4]  # noqa\nc #migrate:ignore\n"
    )
    assert comments(text) == {1: ("DS310",), 2: ("DS310", "DS4"), 3: ("",)}


@pytest.mark.parametrize(
    "text",
    [
        "a = '# migrate: ignore[DS310]'\n",
        '"""\n# migrate: ignore[DS310]\n"""\n',
        "a  # migrate: ignored\n",
        "a  # migrate: ignore-file\n",
        "a  # to migrate: ask somebody\n",
    ],
)
def test_what_is_in_a_string_or_says_something_else_is_no_comment(text: str) -> None:
    assert comments(text) == {}


def test_a_comment_counts_on_the_first_and_on_the_last_line_of_a_finding() -> None:
    one = finding("DS310", line=3)
    assert ignored(one, {3: ("DS310",)})
    assert ignored(one, {3: ("DS3",)})
    assert ignored(one, {3: ("",)})
    assert not ignored(one, {3: ("DS4",)})
    assert not ignored(one, {2: ("DS310",), 4: ("DS310",)})


def test_a_source_that_cannot_be_split_into_tokens_has_no_comments() -> None:
    assert comments("x = (\n# migrate: ignore[DS310]\n") in ({}, {2: ("DS310",)})


def test_lines_of_other_files_are_searched_as_they_are() -> None:
    assert comments("FROM spark:2.4  # migrate: ignore[DS805]\r\n", python=False) == {1: ("DS805",)}
