"""SVG elements as text. Coordinates and sizes are in pixels, to a tenth; ``kind`` is the classes of a style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

WIDE, UPPER, OTHER = 1.0, 0.75, 0.58
"""Widths of letters in font sizes, from DejaVu Sans: few fonts are wider."""


def document(width: float, height: float, parts: Iterable[str], *, style: str, title: str) -> str:
    """A picture that stands alone, on a rectangle of kind ``paper``; ``title`` is its name for a screen reader."""
    size = _attributes(viewBox=f"0 0 {_number(width)} {_number(height)}", width=width, height=height)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg"{size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{style}\n</style>",
        rectangle(0, 0, width, height, "paper", radius=8),
        *parts,
        "</svg>",
        "",
    ])


def text(x: float, y: float, content: str, kind: str = "", anchor: str = "") -> str:
    """A line of text with its baseline at ``y``. ``anchor``: what is at ``x``, start (default), middle or end."""
    return _element("text", escape(content), x=x, y=y, text_anchor=anchor, class_=kind)


def path(commands: str, kind: str) -> str:
    """A path, from SVG's path commands."""
    return _element("path", d=commands, class_=kind)


def rectangle(x: float, y: float, width: float, height: float, kind: str, *, radius: float | None = None) -> str:
    """A rectangle, with corners of that ``radius``."""
    return _element("rect", x=x, y=y, width=width, height=height, rx=radius, class_=kind)


def circle(x: float, y: float, radius: float, kind: str, *, title: str = "") -> str:
    """A circle around (``x``, ``y``); ``title`` shows under the pointer."""
    return _element("circle", f"<title>{escape(title)}</title>" if title else "", cx=x, cy=y, r=radius, class_=kind)


def group(parts: Iterable[str], x: float, y: float) -> str:
    """Elements moved by ``x`` and ``y``."""
    return "\n".join([f'<g transform="translate({_number(x)} {_number(y)})">', *parts, "</g>"])


def text_width(content: str, size: float) -> float:
    """Estimated width of text in a sans-serif font of that size, by the widest letters of each kind."""
    return size * sum(WIDE if letter in "MWmw" or letter >= "\u1100" else UPPER if letter.isupper() else OTHER
                      for letter in content)


def wrapped(content: str, width: float, size: float) -> Sequence[str]:
    """Text as lines no wider than ``width`` by `text_width`, broken between words; one empty line for no text."""
    lines: list[str] = []
    for word in content.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines or [""]


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _attributes(**values: str | float | None) -> str:
    """Attributes in SVG's spelling; empty ones are left out."""
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value) if isinstance(value, str) else _number(value)}"'
        for name, value in values.items() if value is not None and value != "")


def _element(tag: str, content: str = "", **attributes: str | float | None) -> str:
    start = f"<{tag}{_attributes(**attributes)}"
    return f"{start}>{content}</{tag}>" if content else f"{start}/>"
