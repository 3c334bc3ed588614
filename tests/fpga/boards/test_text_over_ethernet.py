"""The board with text over Ethernet: its whole Verilog, as it is synthesised, in a simulator, at its PHY's pins."""

from collections.abc import Callable

import pytest
from runewire_fpga.boards import ADDRESS, Network


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.records
def test_text_goes_through_the_board(simulate: Callable[..., None]) -> None:
    simulate("butterstick", "bench_ethernet", {"RUNEWIRE_IP": str(ADDRESS)})


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.records
def test_segments_go_through_the_board(simulate: Callable[..., None]) -> None:
    simulate("butterstick", "bench_segments", {"RUNEWIRE_IP": str(ADDRESS)}, Network(flows=16))


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.records
def test_lines_go_through_the_board(simulate: Callable[..., None]) -> None:
    simulate("butterstick", "bench_lines", {"RUNEWIRE_IP": str(ADDRESS)}, Network(filter=True))
