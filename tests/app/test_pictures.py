"""Every picture, shipped or written by a command, by its pixels: in a browser, and in a renderer that is none."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageColor, ImageStat

DOCS = Path(__file__).parents[2] / "docs"
SHIPPED = sorted(DOCS.rglob("*.svg"))

COLOURS = {
    "comparison": ["#f5f6f8", "#0a6b66", "#1d5fb4", "#6d3fb8", "#a12a7d", "#b3261e"],
    "dataflow": ["#ffffff", "#dbeafe", "#dcfce7", "#fef9c3", "#ffedd5", "#fce7f3", "#8c959f"],
    "datasheet": ["#ffffff", "#0969da", "#bc4c00"],
    "explain": ["#ffffff", "#cee1f8", "#d1e5d7", "#57606a", "#eaeef2"],
    "fault": ["#ffffff", "#b3261e", "#eaeef2"],
    # Flip-flops, gates and buffers cover more of it than the paper.
    "layout": ["#c1d9f6", "#ffffff", "#eaeef2", "#ebc9b2"],
    "segments": ["#ffffff", "#f6f8fa", "#ddf4ff", "#0969da", "#eaeef2"],
    "symbol": ["#f6f8fa", "#ffffff", "#0969da", "#57606a"],
    "timing-reset": ["#f6f8fa", "#ddf4ff", "#24292f"],
    "timing": ["#f6f8fa", "#ddf4ff", "#ffffff", "#24292f"],
}
"""By the beginning of a picture's name, or its folder, its paper and then colours of shapes that must be seen."""

Render = Callable[[Path], Image.Image]

EDGE = 16
"""Pixels a side of the squares over which two renderers must agree: the pixels of letters differ."""


@pytest.fixture(scope="module")
def rendered(font: Path) -> Render:
    """Draws a picture by resvg, over a grey that is in no picture."""
    def draw(picture: Path) -> Image.Image:
        png = resvg_py.svg_to_bytes(
            svg_path=str(picture), background="#808080", skip_system_fonts=True, font_files=[str(font)],
            font_family=font.stem, sans_serif_family=font.stem, monospace_family=font.stem)
        return Image.open(io.BytesIO(png)).convert("RGB")

    return draw


def lightness(pixel: Any) -> float:
    red, green, blue = pixel
    return float(0.299 * red + 0.587 * green + 0.114 * blue)


def commonest(image: Image.Image) -> Any:
    return max(image.getcolors(1 << 24) or [], key=lambda found: found[0])[1]


@pytest.fixture(params=[*(path.relative_to(DOCS).as_posix() for path in SHIPPED), "explain", "fault"])
def picture(request: pytest.FixtureRequest, tmp_path: Path, runewire: Callable[..., Any]) -> Path:
    """A picture that is shipped, or one that `explain` has just written."""
    text = {"explain": "E2 82 AC F0 9F 98 80", "fault": "C3 28 E2 82"}.get(request.param)
    if text is None:
        return DOCS / str(request.param)
    path = tmp_path / f"{request.param}.svg"
    runewire("explain", text, "--svg", path)
    return path


def shown(picture: Path, browser: Any, folder: Path, width: int, dark: bool) -> Image.Image:
    """As Chromium draws it, over the same grey."""
    page = folder / "page.html"
    image = f'<img src="{picture.as_uri()}" style="display: block">'
    page.write_text(f'<!doctype html><body style="margin: 0; background: #808080">{image}')
    browser.open(page, width, dark)
    return Image.open(io.BytesIO(browser.screenshot())).convert("RGB")


def test_a_renderer_that_is_no_browser_shows_paper_and_ink(picture: Path, rendered: Render) -> None:
    image = rendered(picture)
    pixels = image.getcolors(1 << 24) or []
    names = picture.stem, picture.parent.name
    paper, *ink = map(ImageColor.getrgb, next(found for kind, found in COLOURS.items()
                                              if any(name.startswith(kind) for name in names)))
    assert commonest(image) == paper
    dark = sum(count for count, colour in pixels if lightness(colour) < 60)
    assert dark < 0.1 * image.width * image.height
    for wanted in ink:
        seen = sum(count for count, colour in pixels
                   if all(abs(a - b) <= 2 for a, b in zip(wanted, colour, strict=True)))
        assert seen >= 20, f"{wanted} is not to be seen"


def test_a_browser_shows_the_same(picture: Path, rendered: Render, browser: Any, tmp_path: Path) -> None:
    ours = rendered(picture)
    theirs = shown(picture, browser, tmp_path, ours.width, dark=False)
    assert theirs.width == ours.width
    difference = ImageChops.difference(ours, theirs.crop((0, 0, *ours.size))).reduce(EDGE)
    means = ImageStat.Stat(difference).mean
    assert max(means) < 9, f"red, green and blue differ by {means} of 255"


def test_dark_surroundings_have_a_dark_picture(picture: Path, browser: Any, tmp_path: Path) -> None:
    if "prefers-color-scheme: dark" not in picture.read_text(encoding="utf-8"):
        assert picture.stem == "dataflow", "only one picture has a light card of its own everywhere"
        return
    image = shown(picture, browser, tmp_path, 900, dark=True)
    pixels = [(count, lightness(colour)) for count, colour in image.getcolors(1 << 24) or []
              if colour != (128, 128, 128)]
    whole = sum(count for count, _ in pixels)
    assert sum(count for count, light in pixels if light < 60) > 0.7 * whole
    assert sum(count for count, light in pixels if light > 150) > 0.005 * whole
