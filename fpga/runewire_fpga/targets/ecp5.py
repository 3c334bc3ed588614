"""Lattice ECP5: cells, clock limits and devices."""

from __future__ import annotations

from .base import BOTH_MEMORIES, Capacity, CellClass, ClockLimit, DeviceFamily, Part, Target
from .trellis import clocked_cells

_ECP5 = DeviceFamily(
    name="ECP5",
    synthesis="synth_ecp5",
    # A function of five or six inputs, made of two or four look-up tables and multiplexers, is faster than one of
    # look-up tables alone, and most often larger.
    for_area="-nowidelut",
    # ABC's mapping for area, of logic that was made small first: a twentieth less than the command alone.
    mapping_for_area='abc -lut 4 -script "+strash;&get,-n;&syn3;&syn3;&syn4;&syn4;&synch2,-K,4;&if,-a,-K,4;&satlut;'
                     '&put;mfs2,-a,-M,10"\nclean',
    memories=BOTH_MEMORIES,
    cells=(
        # Writing through allows a clock that is a little faster.
        clocked_cells("(DP16KD|PDPW16KD)(:(WRITEMODE_[AB]=(NORMAL|WRITETHROUGH),?)+)?", Part.BLOCK_RAM,
                      "DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL, CLKA and CLKB", 2359, 1967, 1842, block_ram=1),
        clocked_cells("DP16KD:.*READBEFOREWRITE.*", Part.READ_BEFORE_WRITE,
                      "DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=READBEFOREWRITE, CLKB", 3235, 2581, 2335, block_ram=1),
        # A 16x4 memory takes the look-up tables of three slices: two hold it, the third is its write port.
        clocked_cells("TRELLIS_DPR16X4", Part.LUT_RAM, "SDPRAME, CLK", 1050, 1092, 1134, luts=6, distributed_ram=1),
        clocked_cells("TRELLIS_FF", Part.FLIP_FLOPS, "SLOGICB, CLK", 1050, 1092, 1134, ffs=1),
        CellClass("LUT4", luts=1),
        CellClass("CCU2C", luts=2),
        CellClass("PFUMX|L6MUX21"),
    ),
    block_ram_kbit=18,
    nextpnr="nextpnr-ecp5",
    out_of_context=True,
    options=("--out-of-context",),
    # The placer gives more clock than nextpnr's default, most where there is block RAM.
    for_clock=("--placer", "static"),
    # In the widest cores the static placer leaves one register far from the next, in another place with each seed. The
    # default placer with ten times its weight on slow paths does not; in smaller cores it gives less clock.
    large=("--placer", "heap", "--placer-heap-timingweight", "100", "--placer-heap-critexp", "4"),
    large_luts=10_000,
)

_SHEET = "Lattice FPGA-DS-02012-1.9 (ECP5 and ECP5-5G Family Data Sheet), table 3.22, fMAX_PRI"
_NETWORK = {
    "8": ClockLimit(Part.NETWORK, 370, f"{_SHEET}, grade 8"),
    **{
        grade: ClockLimit(
            Part.NETWORK, 370, f"{_SHEET}, grade 8: grade {grade} has a lower limit, not found", exact=False)
        for grade in "67"
    },
}


def _device(size: str, luts: int, block_ram: int) -> Target:
    return Target(
        name=f"ecp5-{size}",
        device=f"Lattice LFE5U-{size[:-1]}F",
        family=_ECP5,
        speeds=("6", "7", "8"),
        capacity=Capacity(luts, luts, block_ram),
        network=_NETWORK,
        arguments={grade: (f"--{size}", "--package", "CABGA381", "--speed", grade) for grade in "678"},
    )


TARGETS = (_device("25k", 24288, 56), _device("85k", 83640, 208))
"""The devices, smallest first."""
