"""Cologne Chip GateMate: cells and devices. Clock limits of its parts were not found in public documents."""

from __future__ import annotations

from .base import Capacity, CellClass, DeviceFamily, Part, Target

_MODES = ("lowpower", "economy", "speed")
"""Modes of the core's supply voltage, which take the place of speed grades."""

_GATEMATE = DeviceFamily(
    name="GateMate",
    # nextpnr has no multiplexers of eight.
    synthesis="synth_gatemate -luttree -nomx8",
    bare="-noiopad -noclkbuf",
    memories={"block": {"map_bram": 'setattr -set ram_style "block" t:$mem_v2'}},
    # The commands of other families name cells by themselves, for the names on the slowest path.
    before={"check": "autoname"},
    cells=(
        CellClass("CC_BRAM_20K", block_ram=1, what=Part.BLOCK_RAM),
        CellClass("CC_BRAM_40K", block_ram=2, what=Part.BLOCK_RAM),
        CellClass("CC_DFF", ffs=1, what=Part.FLIP_FLOPS),
        # A site is half a cell of the device: a tree of look-up tables with four inputs, or one bit of an adder.
        CellClass("CC_L2T4|CC_LUT[12]|CC_MX2|CC_ADDF", luts=1),
        CellClass("CC_L2T5|CC_MX4", luts=2),
        CellClass("CC_BUFG|CC_IBUF|CC_OBUF"),
    ),
    block_ram_kbit=20,
    nextpnr="nextpnr-himbaechel-gatemate",
    options=("--vopt", "allow-unconstrained"),
)

TARGETS = (
    Target(
        name="gatemate-a1",
        device="Cologne Chip CCGM1A1",
        family=_GATEMATE,
        speeds=_MODES,
        capacity=Capacity(40960, 40960, 64),
        arguments={mode: ("--device", "CCGM1A1", "--vopt", f"fpga_mode={number}")
                   for number, mode in enumerate(_MODES, 1)},
    ),
)
