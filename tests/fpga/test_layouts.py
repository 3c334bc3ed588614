"""Layouts from DEF and LEF files, and their pictures."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from runewire_fpga.layout_picture import draw
from runewire_fpga.layouts import PlacedCell, Wire, cell_sizes, read_layout

FOLDER = Path(__file__).parent
LEF = (FOLDER / "small.lef").read_text()
DEF = (FOLDER / "small.def").read_text()
"""A NAND before a flip-flop, with two fillers; the die begins at -3.2 and -3 µm."""


def test_a_cell_has_the_size_of_its_macro() -> None:
    assert cell_sizes(LEF) == {"NAND2X1": (2.4, 10), "FILL": (0.8, 10), "DFFPOSX1": (9.6, 10)}


def test_a_layout_has_cells_and_wires_and_no_fillers() -> None:
    layout = read_layout(DEF, LEF, "FILL")
    assert (layout.width, layout.height) == (16, 26)
    assert layout.cells == (PlacedCell("NAND2X1", 3.6, 3.5, 2.4, 10), PlacedCell("DFFPOSX1", 6, 3.5, 9.6, 10))
    assert layout.cell_area == pytest.approx(24 + 96)
    assert layout.wires == {
        "metal1": [Wire((4.2, 10), (6.2, 10))],
        "metal2": [Wire((6.4, 10), (6.4, 1))],
        "metal3": [Wire((6.4, 1), (10.4, 1)), Wire((10.4, 1), (10.4, 3))],
    }
    assert layout.wire_length == pytest.approx(2 + 9 + 4 + 2)


def test_the_picture_has_each_cell_and_wire_in_its_place() -> None:
    picture = ElementTree.fromstring(draw(read_layout(DEF, LEF, "FILL"), "two cells"))
    paths = {each.get("class"): each.get("d") for each in picture.iter("{http://www.w3.org/2000/svg}path")}
    # 900 pixels for 16 µm, and y goes up.
    assert paths["gate"] == "M202.5 1265.6h135.0v-562.5h-135.0z"
    assert paths["ff"] == "M337.5 1265.6h540.0v-562.5h-540.0z"
    assert "buffer" not in paths
    assert paths["wire m2"] == "M360.0 900.0L360.0 1406.2"
    words = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["two cells: 16 × 26 µm", "flip-flops", "gates", "metal1", "metal2", "metal3"]
