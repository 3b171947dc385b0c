"""The documentation pages of the rules, made from their modules.

`python -m migrator.rules._pages` writes docs/rules/.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from migrator import rules
from migrator.core import Family, Rule, Safety

_FIXES = {
    None: "none",
    Safety.SAFE: "safe: `migrate rewrite` applies it",
    Safety.UNSAFE: "unsafe: `migrate rewrite --unsafe-fixes` applies it; check the result",
}
_FAMILIES = {
    Family.IMPORTS: "Imports",
    Family.SOURCES: "Sources",
    Family.OPERATORS: "Operators",
    Family.STATE: "State and checkpoints",
    Family.OUTPUTS: "Outputs",
    Family.INTERNALS: "Internals and life cycle",
    Family.PYTHON2: "Python 2",
    Family.AROUND: "Files around a job",
    Family.ANALYSIS: "What could not be followed",
}
_INDEX = """\
# Rules

What `migrate scan` finds and `migrate rewrite` fixes, by family. The first digit of a code is its
family; codes are never reused.

- *Severity*: **error**, the job does not run or gives wrong data; **warning**, it may behave
  differently; **info**, good to know.
- *Readiness*: what a finding means for its job. **ready**, nothing to do, or a safe fix does it;
  **decide**, a value or a choice is needed; **unknown**, the code could not be followed;
  **blocked**, the job cannot be moved as it is. Some rules are milder where a case is harmless.

`migrate explain CODE` prints a page in the terminal, `migrate rules` prints this list. To silence a
finding that you have dealt with, write `# migrate: ignore[CODE]` on its line.
"""


def page(module: ModuleType, anchors: Mapping[str, str]) -> str:
    """The page of one rule, in Markdown; ``anchors`` leads from ids of differences to anchors."""
    rule: Rule = module.RULE
    title, _, body = str(module.__doc__).strip().partition("\n\n")
    facts = [
        ("name", f"`{rule.name}`"),
        ("family", f"[{_FAMILIES[rule.family].lower()}](index.md#{_anchor(rule.family)})"),
        ("severity", str(rule.severity)),
        ("readiness", str(rule.readiness)),
        ("fix", _FIXES[rule.fix]),
    ]
    if rule.differences:
        facts.append(("differences", ", ".join(_link(id, anchors) for id in rule.differences)))
    lines = [f"# {rule.code}: {title.rstrip('.')}", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in facts]
    return "\n".join([*lines, "", body, "", *_examples(module)]).rstrip() + "\n"


def _examples(module: ModuleType) -> Iterator[str]:
    yield "## Examples"
    for example in module.INVALID:
        yield "\nFound:\n"
        yield from _block(example.before)
        if example.after is not None:
            yield "\nand becomes\n"
            yield from _block(example.after)
    for text in module.VALID[:2]:
        yield "\nNot found:\n"
        yield from _block(text)


def _block(text: str) -> Iterator[str]:
    yield f"```{'python' if _is_python(text) else 'text'}"
    yield text.rstrip("\n")
    yield "```"


def _is_python(text: str) -> bool:
    try:
        compile(text, "example", "exec", ast.PyCF_ONLY_AST)
    except SyntaxError:
        return False
    return True


def _link(id: str, anchors: Mapping[str, str]) -> str:
    return f"[{id}](../differences.md#{anchors[id]})" if id in anchors else id


def anchors_of(differences: str) -> dict[str, str]:
    """The anchors that the differences have on their page, by id."""
    found = {}
    for heading in re.findall(r"^### (D\d+ .*)$", differences, re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", heading).strip().lower()
        found[heading.split()[0]] = re.sub(r"[-\s]+", "-", plain)
    return found


def _anchor(family: Family) -> str:
    return _FAMILIES[family].lower().replace(" ", "-")


def index() -> str:
    """The list of all rules, by family."""
    lines = [_INDEX]
    for family, title in _FAMILIES.items():
        of_family = [rule for rule in rules.rules().values() if rule.family is family]
        if not of_family:
            continue
        lines += [f"## {title}", "", "| code | what it finds | severity | readiness | fix |"]
        lines.append("|---|---|---|---|---|")
        lines += [
            f"| [{rule.code}]({rule.code}.md) | {rule.summary} | {rule.severity} "
            f"| {rule.readiness} | {rule.fix or ''} |"
            for rule in of_family
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def pages(docs: Path) -> dict[str, str]:
    """All pages by file name, with links to the pages in ``docs``."""
    anchors = anchors_of((docs / "differences.md").read_text(encoding="utf-8"))
    of_rules = {f"{code}.md": page(module, anchors) for code, module in rules.modules().items()}
    return {"index.md": index(), **of_rules}


def write(docs: Path) -> list[str]:
    """Bring ``docs/rules`` up to date; returns the names of the files that changed."""
    folder = docs / "rules"
    folder.mkdir(exist_ok=True)
    wanted = pages(docs)
    changed = []
    for path in sorted(folder.glob("*.md")):
        if path.name not in wanted:
            path.unlink()
            changed.append(path.name)
    for name, text in wanted.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed.append(name)
    return changed


if __name__ == "__main__":
    print(f"{len(write(Path('docs')))} pages changed in docs/rules")
