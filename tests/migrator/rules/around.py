"""How rules about what lies around jobs are tested: a text in, the lines with findings out."""

from __future__ import annotations

import textwrap

from migrator import rules
from migrator.core import Finding
from migrator.run.around import read


def findings(code: str, text: str, path: str | None = None) -> list[Finding]:
    """What one rule finds in a file; its name is that of the rule's examples if none is given."""
    rule = rules.modules()[code]
    raw = textwrap.dedent(text).encode()
    found: list[Finding] = list(rule.check_text(read(path or rule.EXAMPLE_PATH, raw)))
    return found


def check_lines(code: str, text: str, *lines: int) -> list[Finding]:
    """It finds something exactly on these lines, and says so in two clean sentences."""
    found = findings(code, text)
    assert [finding.line for finding in found] == list(lines)
    for finding in found:
        assert finding.message
        assert not finding.message.endswith(".")
        assert finding.help
        assert not finding.help.endswith(".")
        assert finding.fix is None, "these files are never changed"
    return found


def check_examples(code: str) -> None:
    """The examples in the rule's module are true."""
    valid, invalid = rules.examples(code)
    assert valid
    assert invalid
    for text in valid:
        check_lines(code, text)
    for example in invalid:
        assert example.lines
        assert example.after is None
        check_lines(code, example.before, *example.lines)
