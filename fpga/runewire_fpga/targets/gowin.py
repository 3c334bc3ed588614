"""Gowin GW2A and GW5A, GW5AST included: cells and devices.

Clock limits of their parts were not found in public documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .base import BOTH_MEMORIES, ONLY_BLOCK_MEMORY, Capacity, CellClass, DeviceFamily, Part, Target


def _family(name: str, memories: Mapping[str, Mapping[str, str]], *memory_cells: CellClass) -> DeviceFamily:
    return DeviceFamily(
        name=name,
        synthesis=f"synth_gowin -family {name.lower()}",
        bare="-noiopads",
        for_area="-nowidelut",
        memories=memories,
        cells=(
            *memory_cells,
            CellClass("DFF.*", ffs=1, what=Part.FLIP_FLOPS),
            CellClass("LUT[1-4]|ALU", luts=1),
            CellClass("MUX2_LUT[5-8]|VCC|GND|GSR|INV|IBUF|OBUF"),
        ),
        block_ram_kbit=18,
        nextpnr="nextpnr-himbaechel-gowin",
        pin='IO_LOC "{port}" {pin};',
        pin_option="--vopt=cst={file}",
    )


_LUT_RAM = CellClass("RAM16SDP4", luts=8, distributed_ram=1, what=Part.LUT_RAM)

_GW2A = _family(
    "GW2A", BOTH_MEMORIES,
    CellClass("SDPB|SDPX9B|DPB|DPX9B|SP|SPX9", block_ram=1, what=Part.BLOCK_RAM),
    _LUT_RAM,
)
_GW5A_BLOCKS = (
    # Yosys takes these, with one write port and one read port, for memories too wide for the others. nextpnr splits one
    # that is 32 or 36 wide in two.
    CellClass("SDPB|SDPX9B", block_ram=2, what=Part.BLOCK_RAM),
    CellClass("DPB|DPX9B|SP|SPX9", block_ram=1, what=Part.BLOCK_RAM),
)
# nextpnr has no LUT RAM for the GW5A-25.
_GW5A = replace(_family("GW5A", ONLY_BLOCK_MEMORY, *_GW5A_BLOCKS), layout="gowin-5a")
_GW5AST = replace(_family("GW5AST", BOTH_MEMORIES, *_GW5A_BLOCKS, _LUT_RAM), synthesis=_GW5A.synthesis,
                  layout=_GW5A.layout)

TARGETS = (
    Target(
        name="gowin-gw2a-18",
        device="Gowin GW2A-LV18PG256",
        family=_GW2A,
        speeds=("c8i7",),
        capacity=Capacity(20736, 15552, 46),
        arguments={"c8i7": ("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18")},
        pins={"aclk": "H11", "aresetn": "T10", "serial_in": "L16", "serial_out": "L14"},
    ),
    Target(
        name="gowin-gw5a-25",
        device="Gowin GW5A-LV25MG121N",
        family=_GW5A,
        speeds=("c1i0", "c2i1"),
        capacity=Capacity(23040, 23040, 56),
        arguments={grade: ("--device", f"GW5A-LV25MG121N{name}", "--vopt", "family=GW5A-25A")
                   for grade, name in (("c1i0", "C1/I0"), ("c2i1", "C2/I1"))},
        pins={"aclk": "E2", "aresetn": "H11", "serial_in": "B3", "serial_out": "C3"},
    ),
    Target(
        name="gowin-gw5ast-138",
        device="Gowin GW5AST-LV138PG484A",
        family=_GW5AST,
        speeds=("c1i0",),
        capacity=Capacity(138240, 138240, 340),
        arguments={"c1i0": ("--device", "GW5AST-LV138PG484AC1/I0", "--vopt", "family=GW5AST-138C")},
        pins={"aclk": "V22", "aresetn": "AA13", "serial_in": "AB13", "serial_out": "J14"},
    ),
)
