"""The pages agree with each other and with the code: links, names, settings, generated pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts import reference
from tests.docs.blocks import PAGES, ROOT


@pytest.mark.parametrize("name", reference.PAGES)
def test_the_reference_is_what_the_code_says(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == reference.PAGES[name](), "run `python -m scripts.reference`"


def anchors(path: Path) -> set[str]:
    """The ids that the site gives to headings."""
    found = set()
    fence = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fence ^= line.lstrip().startswith("```")
        heading = re.match(r"#+ (.+)", line)
        if heading and not fence:
            kept = re.sub(r"[^\w\s-]", "", heading[1]).strip().lower()
            found.add(re.sub(r"[-\s]+", "-", kept))
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        page = (path.parent / name) if name else path
        assert page.exists(), f"{path.name} links to {target}"
        if anchor:
            assert anchor in anchors(page), f"{path.name} links to {target}"


def test_every_page_is_in_the_menu() -> None:
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    index = (ROOT / "docs" / "rules" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        name = str(page.relative_to(ROOT / "docs"))
        assert name in menu or (name.startswith("rules/DS") and f"({page.name})" in index)


def test_differences_have_ids_in_order_and_a_reason_each() -> None:
    text = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
    entries = re.split(r"^### ", text, flags=re.M)[1:]
    ids = [entry.split()[0] for entry in entries]
    assert ids == sorted(set(ids))
    assert all(re.fullmatch(r"D\d\d", name) for name in ids)
    for entry in entries:
        assert "*Reason:*" in entry, entry.splitlines()[0]


INTERNALS = (ROOT / "docs" / "internals.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("package", ["dstream_compat", "dstream_parity", "migrator"])
def test_the_map_of_rooms_is_complete(package: str) -> None:
    section = INTERNALS.partition(f"\n### {package}\n")[2].partition("\n#")[0]
    rows = "".join(line for line in section.splitlines() if line.startswith("|"))
    named = set(re.findall(r"`([\w/]+)/`", rows))
    top = ROOT / package
    there = {str(path.parent.relative_to(top)) for path in top.rglob("*.py")} - {"."}
    above = {room for room in there if any(name.startswith(f"{room}/") for name in named)}
    assert named <= there
    assert there - named - above == set(), "docs/internals.md, section Rooms"


def test_the_modules_that_the_internals_name_exist() -> None:
    packages = ["dstream_compat", "dstream_parity", "migrator", "parity_tests"]
    there = [
        f"/{path.relative_to(ROOT)}" for name in packages for path in (ROOT / name).rglob("*.py")
    ]
    examples = ("tests/", "rules/ds321_")
    for name in set(re.findall(r"`([\w/]+\.py)`", INTERNALS)):
        if not name.startswith(examples):
            assert any(path.endswith(f"/{name}") for path in there), name


def test_every_setting_that_is_read_is_documented() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    pattern = re.compile(r'"(spark\.(?:streaming|dstream_compat)\.[\w.]*\w)"')
    for path in (ROOT / "dstream_compat").rglob("*.py"):
        for setting in pattern.findall(path.read_text(encoding="utf-8")):
            assert f"`{setting}`" in page, f"{setting}, read in {path.name}"


def test_every_setting_that_is_named_exists() -> None:
    code = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "dstream_compat").rglob("*.py")
    )
    for path in PAGES:
        named = re.findall(r"spark\.dstream_compat\.[\w.]*\w", path.read_text(encoding="utf-8"))
        for setting in named:
            assert setting.removesuffix("NAME") in code, f"{setting}, in {path.name}"
