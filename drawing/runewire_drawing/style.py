"""Style sheets whose colours follow the page, light or dark."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

COLOURS: Mapping[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#0d1117"),
    "panel": ("#f6f8fa", "#161b22"),
    "ink": ("#24292f", "#e6edf3"),
    "faint": ("#57606a", "#b1bac4"),
    "dim": ("#8c959f", "#7d8590"),
    "rule": ("#d0d7de", "#3d444d"),
    "shade": ("#eaeef2", "#262c36"),
    "highlight": ("#ddf4ff", "#12324f"),
    "blue": ("#0969da", "#4493f8"),
    "orange": ("#bc4c00", "#f0883e"),
    "yellow": ("#9a6700", "#e3b341"),
    "green": ("#1a7f37", "#3fb950"),
    "purple": ("#8250df", "#ab7df8"),
    "red": ("#b3261e", "#ff8177"),
}
"""Each colour on a light page and on a dark page: surfaces, text from ``ink`` to ``dim``, lines, hues."""


def style(rules: Mapping[str, str]) -> str:
    """A style sheet from CSS declarations by selector; ``$name`` is a colour of `COLOURS`.

    The dark page's colours are a media query of their own: renderers outside browsers know no CSS variables. Raises
    `KeyError` for a colour that is not listed.
    """
    light, dark = ({name: pair[index] for name, pair in COLOURS.items()} for index in range(2))
    coloured = {selector: "; ".join(each.strip() for each in declarations.split(";") if "$" in each)
                for selector, declarations in rules.items()}
    return "\n".join([
        *_lines(rules, light),
        "@media (prefers-color-scheme: dark) {",
        *_lines({selector: declarations for selector, declarations in coloured.items() if declarations}, dark),
        "}",
    ])


def _lines(rules: Mapping[str, str], colours: Mapping[str, str]) -> list[str]:
    return [f"{selector} {{ {Template(each).substitute(colours)} }}" for selector, each in rules.items()]
