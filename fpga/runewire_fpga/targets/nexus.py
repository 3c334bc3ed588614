"""Lattice Nexus: cells and devices. Clock limits of its parts were not found in public documents."""

from __future__ import annotations

from .base import BOTH_MEMORIES, Capacity, CellClass, DeviceFamily, Part, Target

_NEXUS = DeviceFamily(
    name="Nexus",
    # nextpnr-nexus refuses a carry chain that starts from a constant.
    synthesis="synth_nexus -family lifcl -noccu2",
    bare="-noiopad",
    for_area="-nowidelut",
    memories=BOTH_MEMORIES,
    cells=(
        CellClass("(DP16K|PDP16K|PDPSC16K|PDPW16KD|OXIDE_EBR)(:.*)?", block_ram=1, what=Part.BLOCK_RAM),
        CellClass("DPR16X4", luts=6, distributed_ram=1, what=Part.LUT_RAM),
        CellClass("FD1P3.*", ffs=1, what=Part.FLIP_FLOPS),
        CellClass("LUT4|INV", luts=1),
        CellClass("WIDEFN9", luts=2),
        CellClass("VHI|VLO|IB|OB"),
    ),
    block_ram_kbit=18,
    nextpnr="nextpnr-nexus",
    pin="ldc_set_location -site {{{pin}}} [get_ports {port}]",
    pin_option="--pdc={file}",
    # The default router leaves the clock's pad unconnected in all but the smallest designs.
    options=("--router", "router1"),
)

TARGETS = (
    Target(
        name="nexus-40k",
        device="Lattice LIFCL-40",
        family=_NEXUS,
        speeds=("7", "8", "9"),
        capacity=Capacity(32256, 32256, 84),
        arguments={grade: ("--device", f"LIFCL-40-{grade}BG400C") for grade in "789"},
        pins={"aclk": "L13", "aresetn": "E17", "serial_in": "F13", "serial_out": "G13"},
    ),
)
