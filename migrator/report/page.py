"""The frame of an HTML report: one page with its own style; no scripts, nothing loaded."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from migrator.report.markup import Markup, element


def page(title: str, content: Iterable[str], *, style: str = "") -> str:
    """The whole page; ``style`` is added to that of all reports."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'",
        ),
        element("title", title),
        element("style", Markup(stylesheet("page") + style)),
    )
    body = element("body", element("main", element("h1", title), *content))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def stylesheet(name: str) -> str:
    """A style sheet of this package, without its suffix."""
    return files("migrator.report").joinpath(f"{name}.css").read_text("utf-8")


def section(title: str, *content: str) -> Markup:
    return element("section", element("h2", title), *content)


def tiles(figures: Iterable[tuple[str, str]]) -> Markup:
    """Large figures side by side, each with what it counts below it."""
    made = (
        element("div", element("strong", big), element("span", small)) for big, small in figures
    )
    return element("div", *made, class_="tiles")


def pill(name: str) -> Markup:
    """A label in the colour of its class."""
    return element("span", name, class_=f"pill {name}")


def aside(*content: str) -> Markup:
    return element("p", *content, class_="aside")


def listed(items: Iterable[str], kind: str = "plain") -> Markup:
    """A list without bullets."""
    return element("ul", *(element("li", item) for item in items), class_=kind)
