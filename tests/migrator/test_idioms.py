"""Every idiom of tests/idioms: what is found, and what becomes of it.

`python -m tests.migrator.test_idioms` writes what becomes of them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrator import rules
from migrator.core import Changed, Finding, by_place
from migrator.model.inference import analyse
from migrator.run.rewriting import rewrite
from migrator.text.opening import open_document

IDIOMS = sorted(
    path for path in (Path(__file__).parents[1] / "idioms").iterdir() if path.name[:2].isdigit()
)
EXPECTED = re.compile(r"# expect: (.+)")
SECRETS = ("hunter2", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI")


def sources(folder: Path) -> dict[str, str]:
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    return dict(sorted(found.items()))


def handled(files: dict[str, str]) -> tuple[list[Finding], dict[str, str]]:
    """All findings, and the new files."""
    documents = {path: open_document(path, text.encode()) for path, text in files.items()}
    project = analyse([document.source for document in documents.values()])
    found: list[Finding] = []
    after = {}
    for path, document in documents.items():
        of_file = rules.findings(project.modules[path], project)
        result = rewrite(document, of_file)
        after[path] = result.after.decode() if isinstance(result, Changed) else files[path]
        found += of_file
    return list(by_place(found)), after


def expected(files: dict[str, str]) -> Iterator[tuple[str, int, str]]:
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            comment = EXPECTED.search(line)
            for code in comment[1].split() if comment else ():
                yield path, number, code


def test_there_is_one_for_each_idiom() -> None:
    assert [path.name[:2] for path in IDIOMS] == [f"{number:02}" for number in range(1, 24)]


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda path: path.name)
def test_what_is_found_stands_beside_the_lines(idiom: Path) -> None:
    files = sources(idiom / "before")
    found, _ = handled(files)
    assert sorted((f.path, f.line, f.code) for f in found) == sorted(expected(files))


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda path: path.name)
def test_what_becomes_of_it(idiom: Path) -> None:
    _, after = handled(sources(idiom / "before"))
    assert after == sources(idiom / "after")


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda path: path.name)
def test_a_second_run_changes_nothing(idiom: Path) -> None:
    files = sources(idiom / "after")
    assert handled(files)[1] == files


@pytest.mark.parametrize("idiom", IDIOMS, ids=lambda path: path.name)
def test_no_finding_repeats_a_value(idiom: Path) -> None:
    for finding in handled(sources(idiom / "before"))[0]:
        assert not any(secret in finding.message + finding.help for secret in SECRETS)


if __name__ == "__main__":
    for folder in IDIOMS:
        (folder / "after").mkdir(exist_ok=True)
        for name, text in handled(sources(folder / "before"))[1].items():
            (folder / "after" / name).write_text(text, encoding="utf-8")
