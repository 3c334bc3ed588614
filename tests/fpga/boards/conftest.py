"""Whole boards in a simulator: all their Verilog, as it is synthesised."""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from runewire_fpga.boards import BOARDS, sources
from runewire_fpga.tools import Tools, find
from runewire_model import ValidatorParameters
from runewire_sim import SimulationError
from runewire_sim.cocotb_job import run_bench
from runewire_sim.design import VerilogDesign

HERE = Path(__file__).parent

Simulate = Callable[..., None]


def _settled(files: Mapping[str, str], directory: Path) -> str:
    """The Verilog as Yosys reads it, without blocks of combinational logic: Icarus does not work out at the start those
    whose inputs never change, as Amaranth and LiteX write them, and goes round some of LiteX's without end."""
    for name, text in files.items():
        (directory / name).write_text(text)
    script = f"read_verilog {' '.join(files)}; proc; opt_clean; write_verilog -noattr settled.v"
    Tools().run(find("yosys"), ["-q", "-p", script], directory)
    return (directory / "settled.v").read_text()


@pytest.fixture
def simulate(tmp_path: Path) -> Simulate:
    """Runs a bench of this folder on a board, with models of the device's cells around it."""
    def run(name: str, bench: str, models: list[str], environment: dict[str, str], top: str | None = None) -> None:
        board = BOARDS[name]
        verilog = _settled({name: text for name, text in sources(board).items() if name.endswith(".v")}, tmp_path)
        file = tmp_path / "board.v"
        file.write_text("\n".join([verilog, *((HERE / model).read_text() for model in models)]))
        design = VerilogDesign(ValidatorParameters(), top or board.top, file)
        path = os.pathsep.join([str(HERE), *sys.path])
        try:
            run_bench(design, bench, "icarus", {**environment, "PYTHONPATH": path})
        except SimulationError as error:
            pytest.fail("\n".join([str(error), *error.log.splitlines()[-60:]]))

    return run
