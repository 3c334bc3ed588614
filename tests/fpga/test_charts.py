"""Charts: well-formed, with every point where it belongs."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from runewire_drawing.svg import text_width
from runewire_fpga.charts import BOTTOM, PANEL_HEIGHT, PANEL_WIDTH, TICK, TOP, Line, Panel, chart

SVG = "{http://www.w3.org/2000/svg}"
PANELS = [
    Panel("One & two", [Line("core", [(1, 400), (2, 200), (4, 100)]), Line("ceiling", [(1, 800), (4, 700)])]),
    Panel("Three", [Line("core", [(8, 0.5)])]),
]


def dots(panel: ElementTree.Element, kind: str) -> list[tuple[float, float]]:
    return [(float(circle.attrib["cx"]), float(circle.attrib["cy"]))
            for circle in panel.iter(f"{SVG}circle") if kind in circle.attrib["class"].split()]


def test_every_point_is_drawn_to_scale() -> None:
    root = ElementTree.fromstring(chart(PANELS, "MHz"))
    first, second = root.findall(f"{SVG}g")
    core = dots(first, "k0")
    assert len(core) == 3
    assert len(dots(first, "k1")) == 2
    assert len(dots(second, "k0")) == 1
    (x1, y1), (x2, y2), (x4, y4) = core
    assert x2 - x1 == pytest.approx(x4 - x2, abs=0.2)
    assert y2 - y1 == pytest.approx(2 * (y4 - y2), abs=0.2)
    assert dots(first, "k1")[0][1] == pytest.approx(TOP, abs=0.1)  # 800, the last grid line
    assert y1 == pytest.approx((TOP + PANEL_HEIGHT - BOTTOM) / 2, abs=0.1)


def test_axes_and_legend_are_named() -> None:
    texts = [text.text for text in ElementTree.fromstring(chart(PANELS, "MHz")).iter(f"{SVG}text")]
    assert {"One & two", "Three", "MHz", "core", "ceiling", "1", "2", "4", "8", "lanes", "800"} <= set(texts)


@pytest.mark.parametrize("top", [0.004, 0.37, 1, 23.7, 99, 370, 736, 1250, 83000])
def test_there_are_some_grid_lines_and_the_last_is_not_below_any_value(top: float) -> None:
    root = ElementTree.fromstring(chart([Panel("x", [Line("core", [(1, top), (2, top / 3)])])], "MHz"))
    [panel] = root.findall(f"{SVG}g")
    heights = [float(match[1]) for path in panel.iter(f"{SVG}path")
               if (match := re.fullmatch(r"M\d+ ([\d.]+)H\d+", path.attrib["d"]))]
    assert 4 <= len(heights) <= 8
    assert min(heights) <= dots(panel, "k0")[0][1] + 0.1


def test_labels_of_nine_widths_do_not_touch() -> None:
    widths = [2**exponent for exponent in range(9)]
    root = ElementTree.fromstring(chart([Panel("x", [Line("core", [(lanes, lanes) for lanes in widths])])], "GB/s"))
    labels = [text for text in root.iter(f"{SVG}text") if text.text in map(str, widths)
              and text.attrib["text-anchor"] == "middle"]
    assert [text.text for text in labels] == [str(lanes) for lanes in widths]
    for before, after in pairwise(labels):
        room = float(after.attrib["x"]) - float(before.attrib["x"])
        assert room >= (text_width(before.text or "", TICK) + text_width(after.text or "", TICK)) / 2 + TICK
    assert float(labels[-1].attrib["x"]) + text_width("256", TICK) / 2 < PANEL_WIDTH
