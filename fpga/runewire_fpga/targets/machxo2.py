"""Lattice MachXO2 and MachXO3LF: cells, clock limits and devices."""

from __future__ import annotations

from .base import (
    BLOCK_RAM,
    BOTH_MEMORIES,
    FLIP_FLOPS,
    LUT_RAM,
    Capacity,
    CellClass,
    ClockLimit,
    DeviceFamily,
    Target,
)
from .trellis import pulse_width_limits

__all__ = ["TARGETS"]

_BEFORE_WRITE = f"{BLOCK_RAM}, read before write"


def _family(name: str, synthesis: str, grades: str) -> DeviceFamily:
    def limits(what: str, entry: str, *widths: int) -> dict[str, ClockLimit]:
        # nextpnr uses the entries of MachXO2 for MachXO3 too.
        return pulse_width_limits(what, entry, *widths[-len(grades):], family="MachXO2", grades=grades)

    return DeviceFamily(
        name=name,
        synthesis=f"synth_lattice -family {synthesis}",
        memories=BOTH_MEMORIES,
        cells=(
            CellClass("DP8KC(:(WRITEMODE_[AB]=(NORMAL|WRITETHROUGH),?)+)?", block_ram=1, what=BLOCK_RAM, limits=limits(
                BLOCK_RAM, "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL, CLKA and CLKB", 3333, 3036, 2739)),
            CellClass("DP8KC:.*READBEFOREWRITE.*", block_ram=1, what=_BEFORE_WRITE, limits=limits(
                _BEFORE_WRITE, "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=READBEFOREWRITE, CLKB", 5080, 4623, 4166)),
            CellClass("TRELLIS_DPR16X4", luts=6, distributed_ram=1, what=LUT_RAM,
                      limits=limits(LUT_RAM, "SLICE, CLK and WCK", 1250, 1125, 1000)),
            CellClass("TRELLIS_FF", ffs=1, what=FLIP_FLOPS, limits=limits(FLIP_FLOPS, "SLICE, CLK", 1250, 1125, 1000)),
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
