"""The charts of the HTML report: plain SVG, coloured by the page's own style sheet."""

from __future__ import annotations

from collections.abc import Sequence

from migrator.report.markup import Markup, element, join

_WIDE, _NARROW = 960, 460  # about as they are shown, so that letters keep their size


def shares(parts: Sequence[tuple[str, int]], label: str) -> Markup:
    """One bar in several parts; each part's name is also its class."""
    total = sum(number for _, number in parts)
    pieces, x = [], 0.0
    for name, number in parts:
        if not number:
            continue
        width = _WIDE * number / total
        pieces.append(
            element(
                "g",
                element("title", f"{name}: {number}"),
                element("rect", x=_short(x), y=0, width=_short(width), height=28, class_=name),
                _centred(x + width / 2, str(number)) if width >= 24 else Markup(""),
            )
        )
        x += width
    return _svg(_WIDE, 28, label, join(*pieces), class_="shares")


def bars(rows: Sequence[tuple[str, int, str]], label: str) -> Markup:
    """A horizontal bar per row: its name, its number, and its class."""
    most = max(number for _, number, _ in rows)
    names = min(max(len(name) for name, _, _ in rows) * 7.6 + 12, _NARROW * 0.55)
    room = _NARROW - names - 48
    drawn = []
    for index, (name, number, kind) in enumerate(rows):
        y = index * 26
        width = max(room * number / most, 3)
        drawn.append(
            element(
                "g",
                element("title", f"{name}: {number}"),
                element("text", name, x=_short(names - 8), y=y + 16, text_anchor="end"),
                element(
                    "rect",
                    x=_short(names),
                    y=y + 3,
                    width=_short(width),
                    height=18,
                    rx=2,
                    class_=kind,
                ),
                element("text", str(number), x=_short(names + width + 7), y=y + 16),
            )
        )
    return _svg(_NARROW, len(rows) * 26, label, join(*drawn), class_="bars")


def _centred(x: float, text: str) -> Markup:
    return element("text", text, x=_short(x), y=19, text_anchor="middle", class_="on-colour")


def _svg(width: int, height: int, label: str, content: Markup, class_: str) -> Markup:
    return element(
        "svg",
        content,
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=label,
        class_=class_,
    )


def _short(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
