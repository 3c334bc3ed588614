"""The board with text over Ethernet: its whole Verilog, as it is synthesised, in a simulator, at its PHY's pins."""

from collections.abc import Callable

import pytest
from runewire_fpga.boards import ADDRESS


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.records
def test_text_goes_through_the_board(simulate: Callable[..., None]) -> None:
    simulate("butterstick", "bench_ethernet", ["ecp5.v", "phy.v"], {"RUNEWIRE_IP": str(ADDRESS)}, top="board")
