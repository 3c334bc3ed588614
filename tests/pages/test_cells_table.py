"""The cores in standard cells are the present ones."""

import pytest
from runewire_fpga import designs
from runewire_pages import cells_table


@pytest.mark.records
@pytest.mark.slow
def test_the_cells_are_those_of_the_present_cores() -> None:
    for record in cells_table.load():
        made = designs.core(cells_table.measured(record))
        assert made.digest == record["design"]["digest"], "run runewire pages --measure cells"
