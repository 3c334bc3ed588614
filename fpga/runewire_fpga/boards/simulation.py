"""A board's whole design for a simulator: its Verilog as it is synthesised, with models of the cells at its pins."""

from __future__ import annotations

import importlib.resources
import tempfile
from pathlib import Path

from runewire_jobs.files import write_whole

from ..tools import Tools, find
from .base import Board
from .implementation import sources
from .network import Network


def simulation_text(board: Board, network: Network | None = None) -> str:
    """The design as one Verilog text, with the top module `Board.simulated_top`.

    Yosys removes the blocks of combinational logic. Icarus does not evaluate those at the start whose inputs never
    change, as Amaranth and LiteX write them, and repeats some of LiteX's without end. ``network`` and errors: see
    `Board.design`; ToolError if Yosys is missing or fails.
    """
    files = {name: text for name, text in sources(board, network).items() if name.endswith(".v")}
    with tempfile.TemporaryDirectory(prefix="runewire-board-") as room:
        directory = Path(room)
        for name, text in files.items():
            (directory / name).write_text(text, encoding="utf-8")
        script = f"read_verilog {' '.join(files)}; proc; opt_clean; write_verilog -noattr settled.v"
        Tools().run(find("yosys"), ["-q", "-p", script], directory)
        design = (directory / "settled.v").read_text(encoding="utf-8")
    models = importlib.resources.files(__package__).joinpath("models")
    return "\n".join([design, *(models.joinpath(f"{name}.v").read_text(encoding="ascii") for name in board.models)])


def write_simulation(board: Board, directory: Path, network: Network | None = None) -> Path:
    """Write `simulation_text` into ``directory``, which is created; returns the file. Raises as that does."""
    text = simulation_text(board, network)
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / f"{board.top}_simulation.v"
    write_whole(file, text.encode())
    return file
