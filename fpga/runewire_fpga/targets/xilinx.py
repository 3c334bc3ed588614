"""Xilinx 7 series (Artix-7, Kintex-7, Spartan-7, Zynq-7000) and UltraScale+: area only, nothing is placed.

A target is a family, as cells are the same in all of its devices.
"""

from __future__ import annotations

from .base import BOTH_MEMORIES, CellClass, DeviceFamily, Target


def _family(name: str, device: str) -> DeviceFamily:
    # Cells have no clock limit (`CellClass.what`), as there is no Fmax to hold against it.
    return DeviceFamily(
        name=name,
        synthesis=f"synth_xilinx -family {device} -flatten",
        bare="-noiopad -noclkbuf",
        memories={memory: {"map_memory": steps["map_ram"]} for memory, steps in BOTH_MEMORIES.items()},
        cells=(
            CellClass("RAMB18E[12]", block_ram=1),
            CellClass("RAMB36E[12]", block_ram=2),
            CellClass("RAM(32|64|128)X1D", luts=2, distributed_ram=1),
            CellClass("RAM(32|64)M", luts=4, distributed_ram=1),
            CellClass("RAM(32|64)M(8|16)", luts=8, distributed_ram=1),
            CellClass("FD[CPRS]E(_1)?", ffs=1),
            CellClass("LUT[1-6]|SRL16E|SRLC32E", luts=1),
            CellClass("CARRY[48]|MUXF[789]|INV|VCC|GND"),
        ),
        block_ram_kbit=18,
    )


TARGETS = (
    Target("xilinx-7", "any of Xilinx 7 series", _family("Xilinx 7 series", "xc7"), speeds=("any",)),
    Target("xilinx-ultrascale-plus", "any of Xilinx UltraScale+", _family("UltraScale+", "xcup"), speeds=("any",)),
)
