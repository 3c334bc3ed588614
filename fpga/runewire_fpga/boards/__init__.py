"""Boards that a core runs on as it is: each from its source to its bitstream.

`BOARDS` is the list. A design is made of Amaranth's platforms (`amaranth_boards`), and of Verilog: that of the core, as
``runewire generate`` writes it, and on Ethernet that of LiteEth.
"""

from .base import ADDRESS, BOARDS, Board, board
from .implementation import STEPS, Implementation, ResourceUse, build, load, sources

__all__ = ["ADDRESS", "BOARDS", "STEPS", "Board", "Implementation", "ResourceUse", "board", "build", "load", "sources"]
