"""The page around a report: self-contained, without scripts, nothing loaded from elsewhere."""

from __future__ import annotations

from importlib.resources import files

from migrator.report.markup import Markup, element


def page(title: str, *content: str, style: str = "") -> str:
    """A whole HTML document. ``style`` is added to the style sheet that all pages share."""
    shared = files("migrator.report").joinpath("style.css").read_text("utf-8")
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
        element("style", Markup(shared + style)),
    )
    body = element("body", element("main", *content))
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"
