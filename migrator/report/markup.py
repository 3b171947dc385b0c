"""HTML and SVG built from elements. Text is escaped unless it is an element itself."""

from __future__ import annotations

from html import escape

_EMPTY = frozenset({"meta", "line", "rect", "path", "circle", "br"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: str | int | float | None) -> Markup:
    """One element; ``class_`` is ``class``, ``stroke_width`` is ``stroke-width``, None leaves out.

    >>> element("p", "1 < 2", element("b", "!"), class_="x")
    '<p class="x">1 &lt; 2<b>!</b></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not children:
        return Markup(f"<{name}{given}>" if name in ("meta", "br") else f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: str) -> Markup:
    """Several pieces, one after the other."""
    return Markup("".join(c if isinstance(c, Markup) else escape(c) for c in children))
