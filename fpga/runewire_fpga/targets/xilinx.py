"""Xilinx 7 series (Artix-7, Spartan-7, Zynq-7000) and UltraScale+: cells, clock limits and devices.

nextpnr has timing of one speed grade. Its wires are Project X-Ray's, measured on an XC7A50T of grade 1; delays of
slices are round numbers. So the clock limits are for grade 1 too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from .base import BOTH_MEMORIES, Capacity, CellClass, ClockLimit, DeviceFamily, Part, Target


def _family(name: str, device: str) -> DeviceFamily:
    return DeviceFamily(
        name=name,
        synthesis=f"synth_xilinx -family {device} -flatten",
        bare="-noiopad -noclkbuf",
        memories={memory: {"map_memory": steps["map_ram"]} for memory, steps in BOTH_MEMORIES.items()},
        # So that a cell on the critical path is named after a signal of the design, as other commands do.
        before={"check": "autoname"},
        cells=(
            CellClass("RAMB18E[12]", block_ram=1, what=Part.BLOCK_RAM),
            CellClass("RAMB36E[12]", block_ram=2, what=Part.BLOCK_RAM),
            CellClass("RAM(32|64|128)X1D", luts=2, distributed_ram=1, what=Part.LUT_RAM),
            CellClass("RAM(32|64)M", luts=4, distributed_ram=1, what=Part.LUT_RAM),
            CellClass("RAM(32|64)M(8|16)", luts=8, distributed_ram=1, what=Part.LUT_RAM),
            CellClass("FD[CPRS]E(_1)?", ffs=1, what=Part.FLIP_FLOPS),
            CellClass("LUT[1-6]|SRL16E|SRLC32E", luts=1),
            CellClass("CARRY[48]|MUXF[789]|INV|VCC|GND|IBUF|OBUF|BUFG"),
        ),
        block_ram_kbit=18,
    )


_SERIES_7 = replace(_family("Xilinx 7 series", "xc7"), layout="xilinx-7")

_PLACED = replace(
    _SERIES_7,
    nextpnr="nextpnr-himbaechel-xilinx",
    pin="set_property LOC {pin} [get_ports {port}]\nset_property IOSTANDARD LVCMOS33 [get_ports {port}]",
    pin_option="--vopt=xdc={file}",
    # An 8-lane validator reaches 497 MHz with both (median of 3 seeds), 396 with neither, 367 without the router.
    for_clock=("--placer", "static", "--router", "router1"),
    # In larger cores `router1` may stop at one net for hours. `router2` ended in all, with less clock: an 8-lane
    # validator has 406 MHz instead of 511 (seed 1).
    large=("--placer", "static", "--router", "router2"),
    large_luts=5_000,
    # In smaller cores this is rare. A run takes two to four minutes.
    limit_s=900,
)


def _network(sheet: str) -> Mapping[str, ClockLimit]:
    return {"1": ClockLimit(Part.NETWORK, 464, f"{sheet}, table 32, FMAX_BUFG, grade -1")}


_ARTIX = _network("AMD DS181 v1.27 (Artix-7 FPGAs Data Sheet)")


def _device(name: str, device: str, package: str, capacity: Capacity, pins: str,
            network: Mapping[str, ClockLimit]) -> Target:
    ports = ("aclk", "aresetn", "serial_in", "serial_out")
    return Target(
        name=name,
        device=f"AMD {device.upper()}",
        family=_PLACED,
        speeds=("1",),
        capacity=capacity,
        network=network,
        arguments={"1": ("--device", f"{device}{package}-1")},
        pins=dict(zip(ports, pins.split(), strict=True)),
    )


TARGETS = (
    Target("xilinx-7", "any of Xilinx 7 series", _SERIES_7, speeds=("any",)),
    Target("xilinx-ultrascale-plus", "any of Xilinx UltraScale+", _family("UltraScale+", "xcup"), speeds=("any",)),
    # The die is an XC7A50T's, and nextpnr places on all of it.
    _device("artix-7-35t", "xc7a35t", "cpg236", Capacity(20800, 41600, 100), "W5 V17 V16 U16", _ARTIX),
    _device("artix-7-100t", "xc7a100t", "csg324", Capacity(63400, 126800, 270), "E3 C2 A8 H5", _ARTIX),
    _device("artix-7-200t", "xc7a200t", "fbg484", Capacity(134600, 269200, 730), "R4 U2 T1 U1", _ARTIX),
    _device("zynq-7020", "xc7z020", "clg400", Capacity(53200, 106400, 280), "U18 T19 T20 U20", {}),
    # nextpnr 0.11.1 has its die, and takes no name of a Spartan-7.
    Target("spartan-7-50", "AMD XC7S50", _SERIES_7, speeds=("1",), capacity=Capacity(32600, 65200, 150),
           network=_network("AMD DS189 v1.10 (Spartan-7 FPGAs Data Sheet)")),
)
