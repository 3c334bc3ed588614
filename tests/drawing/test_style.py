"""Style sheets: every colour has a light and a dark value, and nothing else is in the dark block."""

import pytest
from runewire_drawing.style import COLOURS, style

RULES = {"text": "font: 12px sans-serif; fill: $ink", ".dot": "stroke: none", ".grid": "stroke: $rule; fill: $paper"}


def test_a_dark_page_has_the_dark_colours_and_nothing_else() -> None:
    light, dark = style(RULES).split("@media (prefers-color-scheme: dark) {\n")
    assert light.splitlines() == [
        "text { font: 12px sans-serif; fill: #24292f }", ".dot { stroke: none }",
        ".grid { stroke: #d0d7de; fill: #ffffff }"]
    assert dark.splitlines() == ["text { fill: #e6edf3 }", ".grid { stroke: #3d444d; fill: #0d1117 }", "}"]


def test_a_colour_that_is_not_listed_is_an_error() -> None:
    with pytest.raises(KeyError, match="pink"):
        style({"text": "fill: $pink"})


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    channels = [int(colour[start:start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", ["ink", "faint", "blue", "orange", "yellow", "green", "purple", "red"])
@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_text_has_contrast_enough(name: str, page: int) -> None:
    lighter, darker = sorted((luminance(COLOURS[each][page]) for each in (name, "paper")), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
