"""Whole boards in a simulator: all their Verilog, as it is synthesised."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire_fpga.boards import BOARDS, sources
from runewire_model import ValidatorParameters
from runewire_sim import SimulationError
from runewire_sim.cocotb_job import run_bench
from runewire_sim.design import Design
from runewire_fpga.tools import Tools, find

HERE = Path(__file__).parent
LITEETH = "runewire_liteeth.v"

Simulate = Callable[..., None]


def _settled(verilog: str, directory: Path) -> str:
    """LiteX's Verilog as Yosys reads it: its blocks of several signals go round without end in Icarus, which sees them
    change in the midst of a block."""
    (directory / "before.v").write_text(verilog)
    script = "read_verilog before.v; proc; opt_clean; write_verilog -noattr after.v"
    Tools().run(find("yosys"), ["-q", "-p", script], directory)
    return (directory / "after.v").read_text()


@pytest.fixture
def simulate(tmp_path: Path) -> Simulate:
    """Runs a bench of this folder on a board, with models of the device's cells around it."""
    def run(name: str, bench: str, models: list[str], environment: dict[str, str], top: str | None = None) -> None:
        board = BOARDS[name]
        verilog = {file: text for file, text in sources(board).items() if file.endswith(".v")}
        if LITEETH in verilog:
            verilog[LITEETH] = _settled(verilog[LITEETH], tmp_path)
        file = tmp_path / "board.v"
        file.write_text("\n".join([*verilog.values(), *((HERE / model).read_text() for model in models)]))
        design = Design(ValidatorParameters(), top or board.top, file)
        path = os.pathsep.join([str(HERE), *sys.path])
        try:
            run_bench(design, bench, "icarus", {**environment, "PYTHONPATH": path})
        except SimulationError as error:
            pytest.fail("\n".join([str(error), *error.log.splitlines()[-60:]]))

    return run
