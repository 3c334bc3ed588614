"""Lattice iCE40 HX and UltraPlus: cells, clock limits and devices."""

from __future__ import annotations

from collections.abc import Mapping

from .base import ONLY_BLOCK_MEMORY, Capacity, CellClass, ClockLimit, DeviceFamily, Part, Target

_HX_SHEET = "Lattice DS1040-3.4 (iCE40 LP/HX Family Data Sheet)"
_UP_SHEET = "Lattice FPGA-DS-02008 of December 2020 (iCE40 UltraPlus Family Data Sheet)"
_HX_PAGE = f"{_HX_SHEET}, page 3-10, Register-to-Register Performance of HX devices"


def _family(device: str, block_ram: Mapping[str, ClockLimit], flip_flops: Mapping[str, ClockLimit]) -> DeviceFamily:
    return DeviceFamily(
        name="iCE40",
        # Yosys 0.70 loses drivers of kept registers on its new way to ABC9: docs/integration.md, "Yosys 0.70". Cores
        # avoid that now. The setting stays, as the datasheet's rows were measured with it.
        synthesis=f"scratchpad -set abc9.xaiger 1; synth_ice40 -device {device}",
        # The only small memories are flip-flops behind a decoder, which would be the slowest path.
        memories=ONLY_BLOCK_MEMORY,
        # A flip-flop's enable holds back its reset too, so that a reset which must not wait costs a gate before the
        # enable, on the slowest path. A look-up table before the flip-flop enables it instead.
        before_for_clock={"map_ffs": "dffunmap -ce-only t:$_SDFFE_*"},
        cells=(
            CellClass("SB_RAM40_4K.*", block_ram=1, what=Part.BLOCK_RAM, limits=block_ram),
            CellClass("SB_DFF.*", ffs=1, what=Part.FLIP_FLOPS, limits=flip_flops),
            CellClass("SB_LUT4", luts=1),
            CellClass("SB_CARRY"),
        ),
        block_ram_kbit=4,
        nextpnr="nextpnr-ice40",
        # A tenth more clock than nextpnr's default placer, with less spread over the seeds. It never ends on a device
        # that is nearly full.
        roomy=("--placer", "sa"),
        layout="ice40",
    )


_HX = _family(
    "hx",
    block_ram={"hx": ClockLimit(Part.BLOCK_RAM, 403, f"{_HX_PAGE}, 256x16 Pseudo-Dual Port RAM")},
    flip_flops={"hx": ClockLimit(
        Part.FLIP_FLOPS, 305, f"{_HX_PAGE}, 16:1 MUX: what flip-flops carry with that between them")},
)
_UP = _family(
    "u",
    block_ram={"up": ClockLimit(Part.BLOCK_RAM, 150, f"{_UP_SHEET}, table 4.16, 256 x 16 Pseudo-Dual Port RAM")},
    flip_flops={},
)

TARGETS = (
    Target(
        name="ice40-hx8k",
        device="Lattice iCE40HX8K",
        family=_HX,
        speeds=("hx",),
        capacity=Capacity(7680, 7680, 32),
        network={"hx": ClockLimit(
            Part.NETWORK, 275, f"{_HX_SHEET}, page 3-15, External Switching Characteristics of HX devices, fMAX_GBUF")},
        arguments={"hx": ("--hx8k", "--package", "ct256")},
    ),
    Target(
        name="ice40-up5k",
        device="Lattice iCE40UP5K",
        family=_UP,
        speeds=("up",),
        capacity=Capacity(5280, 5280, 30),
        network={"up": ClockLimit(Part.NETWORK, 185, f"{_UP_SHEET}, table 4.21, fMAX_GBUF")},
        arguments={"up": ("--up5k", "--package", "sg48")},
        frequency=200,
    ),
)
