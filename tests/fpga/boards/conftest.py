"""Whole boards in a simulator: all their Verilog, as it is synthesised."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire_fpga.boards import BOARDS, Network, write_simulation
from runewire_model import ValidatorParameters
from runewire_sim import SimulationError
from runewire_sim.cocotb_job import run_bench
from runewire_sim.design import VerilogDesign

HERE = Path(__file__).parent

Simulate = Callable[..., None]


@pytest.fixture
def simulate(tmp_path: Path) -> Simulate:
    """Runs a bench of this folder on a board."""
    def run(name: str, bench: str, environment: dict[str, str], network: Network | None = None) -> None:
        board = BOARDS[name]
        design = VerilogDesign(ValidatorParameters(), board.simulated_top, write_simulation(board, tmp_path, network))
        path = os.pathsep.join([str(HERE), *sys.path])
        try:
            run_bench(design, bench, "icarus", {**environment, "PYTHONPATH": path})
        except SimulationError as error:
            pytest.fail("\n".join([str(error), *error.log.splitlines()[-60:]]))

    return run
