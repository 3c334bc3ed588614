"""Boards with text over a serial line: their whole Verilog, as it is synthesised, in a simulator, at their pins."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from runewire_fpga.boards import BOARDS, sources
from runewire_sim import SimulationError
from runewire_sim.cocotb_job import run_bench
from runewire_sim.design import Design
from runewire_fpga.boards.uart import sanitizer

HERE = Path(__file__).parent
PINS: dict[str, dict[str, Any]] = {
    "icebreaker": {
        "clock": ("clk12_0__io", 12e6), "button": ("button_0__io", 1), "error": ("led_r_0__io", 1),
        "lost": ("led_r_1__io", 0), **{f"kind {bit}": (f"led_g_{bit + 1}__io", 0) for bit in range(3)},
    },
    "ulx3s-85f": {
        "clock": ("clk25_0__io", 25e6), "button": ("button_fire_0__io", 0), "error": ("led_3__io", 0),
        "lost": ("led_4__io", 0), **{f"kind {bit}": (f"led_{bit}__io", 0) for bit in range(3)},
    },
}


def whole(name: str, directory: Path) -> Design:
    """All Verilog of a board in a file, with models of the device's cells."""
    board = BOARDS[name]
    cells = "ice40.v" if name == "icebreaker" else "ecp5.v"
    parts = [text for file, text in sources(board).items() if file.endswith(".v")]
    file = directory / "board.v"
    file.write_text("\n".join([*parts, (HERE / cells).read_text()]))
    return Design(sanitizer("ecp5"), board.top, file)


@pytest.mark.icarus
@pytest.mark.slow
@pytest.mark.parametrize(("name", "size"), [("icebreaker", 120), ("ulx3s-85f", 40)])
def test_text_goes_through_the_board(name: str, size: int, tmp_path: Path) -> None:
    environment = {"RUNEWIRE_PINS": json.dumps(PINS[name]), "RUNEWIRE_BYTES": str(size), 
                   "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    try:
        run_bench(whole(name, tmp_path), "bench_uart", "icarus", environment)
    except SimulationError as error:
        pytest.fail("\n".join([str(error), *error.log.splitlines()[-60:]]))
