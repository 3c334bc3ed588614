"""Boards with a generated core, from source to bitstream.

A board is an entry of `BOARDS` and a module with its design: one of Amaranth's platforms (`amaranth_boards`), the
core's Verilog from ``runewire generate``, and on Ethernet LiteEth's Verilog.
"""

from .base import BOARDS, Board, board
from .implementation import STEPS, Implementation, ResourceUse, build, load, sources
from .network import ADDRESS, MOST_FLOWS, Network
from .simulation import simulation_text, write_simulation

__all__ = ["ADDRESS", "BOARDS", "MOST_FLOWS", "STEPS", "Board", "Implementation", "Network", "ResourceUse", "board",
           "build", "load", "simulation_text", "sources", "write_simulation"]
