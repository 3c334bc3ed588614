"""Lattice MachXO2 and MachXO3LF: cells, clock limits and devices."""

from __future__ import annotations

from .base import BOTH_MEMORIES, Capacity, CellClass, DeviceFamily, Part, Target
from .trellis import clocked_cells


def _family(name: str, synthesis: str, grades: str) -> DeviceFamily:
    def cells(kinds: str, part: Part, entry: str, *widths: int, **area: int) -> CellClass:
        # nextpnr uses the entries of MachXO2 for MachXO3 too.
        return clocked_cells(kinds, part, entry, *widths[-len(grades):], family="MachXO2", grades=grades, **area)

    return DeviceFamily(
        name=name,
        synthesis=f"synth_lattice -family {synthesis}",
        memories=BOTH_MEMORIES,
        cells=(
            cells("DP8KC(:(WRITEMODE_[AB]=(NORMAL|WRITETHROUGH),?)+)?", Part.BLOCK_RAM,
                  "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL, CLKA and CLKB", 3333, 3036, 2739, block_ram=1),
            cells("DP8KC:.*READBEFOREWRITE.*", Part.READ_BEFORE_WRITE,
                  "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=READBEFOREWRITE, CLKB", 5080, 4623, 4166, block_ram=1),
            cells("TRELLIS_DPR16X4", Part.LUT_RAM, "SLICE, CLK and WCK", 1250, 1125, 1000, luts=6, distributed_ram=1),
            cells("TRELLIS_FF", Part.FLIP_FLOPS, "SLICE, CLK", 1250, 1125, 1000, ffs=1),
            CellClass("LUT4", luts=1),
            CellClass("CCU2D", luts=2),
            CellClass("PFUMX|L6MUX21"),
        ),
        block_ram_kbit=9,
        nextpnr="nextpnr-machxo2",
        # Without a pin for the clock, nextpnr may choose a clock network that does not reach all of the device
        # (nextpnr#1236).
        pin='LOCATE COMP "{port}" SITE "{pin}";',
        pin_option="--lpf={file}",
        options=("--lpf-allow-unconstrained",),
    )


TARGETS = (
    Target(
        name="machxo2-1200",
        device="Lattice LCMXO2-1200HC",
        family=_family("MachXO2", "xo2", "456"),
        speeds=("4", "5", "6"),
        capacity=Capacity(1280, 1280, 7),
        arguments={grade: ("--device", f"LCMXO2-1200HC-{grade}TG144C") for grade in "456"},
        pins={"aclk": "128"},
    ),
    Target(
        name="machxo3lf-6900",
        device="Lattice LCMXO3LF-6900C",
        family=_family("MachXO3LF", "xo3", "56"),
        speeds=("5", "6"),
        capacity=Capacity(6864, 6864, 26),
        arguments={grade: ("--device", f"LCMXO3LF-6900C-{grade}BG256C") for grade in "56"},
        pins={"aclk": "C8"},
    ),
)
