"""The placed cores are the present ones, and the picture shows the first."""

import pytest
from runewire_fpga import designs
from runewire_pages import cells_table, layouts_table


def test_the_picture_is_the_layout_of_the_first_core() -> None:
    first = layouts_table.load()[0]
    die = f"{first['routed']['width_um']:.0f} × {first['routed']['height_um']:.0f} µm"
    title = f"{cells_table.measured(first)}, in {first['routed']['technology']}: {die}"
    picture = layouts_table.PICTURE.read_text(encoding="utf-8")
    assert f">{title}</text>" in picture
    # A rectangle a flip-flop.
    [flip_flops] = [line for line in picture.splitlines() if 'class="ff"' in line]
    assert flip_flops.count("z") == first["registers"]


@pytest.mark.records
@pytest.mark.slow
def test_the_layouts_are_those_of_the_present_cores() -> None:
    for record in layouts_table.load():
        made = designs.core(cells_table.measured(record))
        assert made.digest == record["design"]["digest"], "run runewire pages --measure layouts"
