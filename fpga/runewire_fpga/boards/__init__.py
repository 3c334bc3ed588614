"""Boards with a generated core, from source to bitstream.

A board is an entry of `BOARDS` and a module with its design: one of Amaranth's platforms (`amaranth_boards`), the
core's Verilog from ``runewire generate``, and on Ethernet LiteEth's Verilog.
"""

from .base import ADDRESS, BOARDS, Board, board
from .implementation import STEPS, Implementation, ResourceUse, build, load, sources

__all__ = ["ADDRESS", "BOARDS", "STEPS", "Board", "Implementation", "ResourceUse", "board", "build", "load", "sources"]
