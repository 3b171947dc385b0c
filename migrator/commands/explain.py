"""`migrate explain CODE`: the page of a rule, in the terminal."""

from __future__ import annotations

import difflib

import click

from migrator import rules
from migrator.core import Rule


@click.command("explain")
@click.argument("codes", nargs=-1, required=True, metavar="CODE…")
def command(codes: tuple[str, ...]) -> None:
    """Explain what a rule finds, why it matters and what to do.

    CODE is a rule's code or name: DS310, transform-returns-no-rdd.
    """
    chosen = [_find(code) for code in codes]
    for at, rule in enumerate(chosen):
        if at:
            click.echo()
        _print(rule)


def _find(code: str) -> Rule:
    by_name = {
        key.lower(): rule for rule in rules.rules().values() for key in (rule.code, rule.name)
    }
    rule = by_name.get(code.lower())
    if rule is None:
        near = difflib.get_close_matches(code.lower(), by_name, n=1)
        hint = f"did you mean {by_name[near[0]].code}?" if near else "`migrate rules` lists them."
        raise click.UsageError(f"there is no rule {code}; {hint}")
    return rule


def _print(rule: Rule) -> None:
    title, _, body = str(rules.modules()[rule.code].__doc__).strip().partition("\n\n")
    click.secho(f"{rule.code} {rule.name}", bold=True)
    click.echo(title)
    facts = f"{rule.severity} · {rule.readiness} · fix: {rule.fix or 'none'}"
    if rule.differences:
        facts += f" · differences: {', '.join(rule.differences)}"
    click.secho(facts, dim=True)
    for line in body.splitlines():
        if line.startswith("## "):
            click.secho(line.removeprefix("## "), bold=True)
        else:
            click.echo(line)
    for example in rules.modules()[rule.code].INVALID[:1]:
        click.secho("\nFor example", bold=True)
        click.echo()
        for line in example.before.splitlines():
            click.echo(f"    {line}".rstrip())
