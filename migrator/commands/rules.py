"""`migrate rules`: all rules, by family."""

from __future__ import annotations

import json
from collections.abc import Iterable

import click

from migrator import rules
from migrator.core import Family, Rule, Severity

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


@click.command("rules")
@click.option(
    "--format",
    "-f",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option(
    "--family",
    type=click.Choice([str(family) for family in Family], case_sensitive=False),
    help="List only the rules of one family.",
)
def command(format: str, family: str | None) -> None:
    """List all rules."""
    chosen = [rule for rule in rules.rules().values() if family in (None, str(rule.family))]
    if format == "json":
        click.echo(json.dumps([_as_dict(rule) for rule in chosen], indent=2))
    else:
        _table(chosen)


def _table(chosen: Iterable[Rule]) -> None:
    last = None
    for rule in chosen:
        if rule.family is not last:
            click.secho(f"{'' if last is None else chr(10)}{rule.family}", bold=True)
            last = rule.family
        severity = click.style(f"{rule.severity!s:8}", fg=_COLOURS[rule.severity])
        fix = f" ({rule.fix} fix)" if rule.fix else ""
        click.echo(f"  {rule.code}  {severity} {rule.readiness!s:8} {rule.summary}{fix}")


def _as_dict(rule: Rule) -> dict[str, object]:
    return {
        "code": rule.code,
        "name": rule.name,
        "family": str(rule.family),
        "summary": rule.summary,
        "severity": str(rule.severity),
        "readiness": str(rule.readiness),
        "fix": None if rule.fix is None else str(rule.fix),
        "differences": list(rule.differences),
    }
