"""The devices that a core can be implemented on, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

__all__ = ["AUTOMATIC", "TARGETS", "Area", "Capacity", "ClockLimit", "Family", "Target", "target"]


@dataclass(frozen=True)
class Area:
    """What a netlist takes of a device.

    ``luts`` are sites of look-up tables, whatever they are used for: logic, carries, and memory
    (``memory_luts`` of them). ``block_ram`` are blocks of the family's size, ``distributed_ram`` memories
    made of look-up tables.
    """

    luts: int
    ffs: int
    block_ram: int
    distributed_ram: int
    memory_luts: int


@dataclass(frozen=True)
class Capacity:
    """What a device has: sites of look-up tables, flip-flops, blocks of memory."""

    luts: int
    ffs: int
    block_ram: int


@dataclass(frozen=True)
class ClockLimit:
    """The fastest clock, in MHz, that a device's clock network is specified for, and where it says so."""

    mhz: float
    source: str


@dataclass(frozen=True)
class Family:
    """What the devices of a family have in common.

    ``synthesis``: the Yosys command, without ``-top``; with ``bare`` it leaves out pads. ``before`` is what Yosys does
    before some of its steps, by the name of the step, in their order; ``before_for_clock`` the same, after those of
    ``before``, where clock matters more than area. ``luts``, ``ffs``, ``block_ram`` and ``distributed_ram``: what a
    cell takes, by the expression that its type matches; a cell that matches none must match ``free``.
    ``nextpnr``: the program that places it, None where Yosys stops. ``out_of_context``: whether that program
    places a core without pads; it is put between shift registers where it does not. ``pin``: how a pin is
    constrained, ``pin_option`` how nextpnr is given the file, ``options`` what else it is given, and ``roomy``
    what it is given where the device would hold the netlist even if no look-up table shared a cell with a flip-flop.
    """

    name: str
    synthesis: str
    luts: Mapping[str, int]
    ffs: Mapping[str, int]
    block_ram: Mapping[str, int]
    distributed_ram: Mapping[str, int]
    free: str
    block_ram_kbit: int
    bare: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    before_for_clock: Mapping[str, str] = field(default_factory=dict)
    nextpnr: str | None = None
    out_of_context: bool = False
    pin: str = ""
    pin_option: str = ""
    options: tuple[str, ...] = ()
    roomy: tuple[str, ...] = ()

    def area(self, cells: Mapping[str, int]) -> Area:
        """The area of a netlist of so many cells of each type.

        Raises `ValueError` for a type of cell that the family does not list: an area must not be too small.
        """
        known = "|".join([*self.luts, *self.ffs, *self.block_ram, *self.distributed_ram, self.free])
        for kind in cells:
            if not re.fullmatch(known, kind):
                raise ValueError(f"the netlist for {self.name} has cells of type {kind}, of no known area")

        def total(weights: Mapping[str, int]) -> int:
            return sum(
                weight * count
                for pattern, weight in weights.items()
                for kind, count in cells.items() if re.fullmatch(pattern, kind)
            )

        memory = {pattern: weight for pattern, weight in self.luts.items() if pattern in self.distributed_ram}
        return Area(total(self.luts), total(self.ffs), total(self.block_ram), total(self.distributed_ram),
                    total(memory))


@dataclass(frozen=True)
class Target:
    """A device. ``speeds`` are its grades, fastest last; ``arguments`` those of nextpnr, by grade.

    ``frequency``: the clock in MHz that nextpnr is asked for, above what any core reaches. ``capacity`` is
    None for a target that stands for a family, where only the area is known.
    """

    name: str
    device: str
    family: Family
    speeds: tuple[str, ...]
    capacity: Capacity | None = None
    clock_limits: Mapping[str, ClockLimit] = field(default_factory=dict)
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    frequency: int = 500
    pins: Mapping[str, str] = field(default_factory=dict)

    def speed(self, grade: str | None = None) -> str:
        """``grade`` if the device comes in it, the fastest for None. Raises `ValueError` for another."""
        if grade is None:
            return self.speeds[-1]
        if grade not in self.speeds:
            raise ValueError(f"speed of {self.name} must be one of {', '.join(self.speeds)}, got {grade!r}")
        return grade

    def surely_fits(self, area: Area) -> bool:
        """Whether ``area`` fits even if no look-up table shares a cell with a flip-flop."""
        return self.fits(replace(area, luts=area.luts + area.ffs))

    def fits(self, area: Area, fill: float = 1.0) -> bool:
        """Whether ``area`` takes no more of the device than the fraction ``fill`` of anything."""
        have = self.capacity
        return have is None or (area.luts <= fill * have.luts and area.ffs <= fill * have.ffs
                                and area.block_ram <= fill * have.block_ram)


_ECP5 = Family(
    name="ECP5",
    synthesis="synth_ecp5",
    # Half as wide as a block RAM and up: Yosys looks at the rows too, and would make all of look-up tables.
    before={"map_ram": 'setattr -set ram_style "block" t:$mem_v2 r:WIDTH>=18 %i'},
    # A 16x4 memory takes the look-up tables of three slices: two hold it, the third is its write port.
    luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
    ffs={"TRELLIS_FF": 1},
    block_ram={"DP16KD|PDPW16KD": 1},
    distributed_ram={"TRELLIS_DPR16X4": 1},
    free="PFUMX|L6MUX21",
    block_ram_kbit=18,
    nextpnr="nextpnr-ecp5",
    out_of_context=True,
    # The placer gives more clock than nextpnr's default, most where there is block RAM.
    options=("--out-of-context", "--placer", "static"),
)

_ICE40 = {
    device: Family(
        name="iCE40",
        synthesis=f"synth_ice40 -device {device}",
        # There are no small memories but flip-flops behind a decoder, which would be the slowest path.
        before={"map_ram": 'setattr -set ram_style "block" t:$mem_v2'},
        # A flip-flop's enable holds back its reset too, so that a reset which must not wait costs a gate before the
        # enable, on the slowest path. A look-up table before the flip-flop enables it instead.
        before_for_clock={"map_ffs": "dffunmap -ce-only t:$_SDFFE_*"},
        luts={"SB_LUT4": 1},
        ffs={"SB_DFF.*": 1},
        block_ram={"SB_RAM40_4K.*": 1},
        distributed_ram={},
        free="SB_CARRY",
        block_ram_kbit=4,
        nextpnr="nextpnr-ice40",
        # A tenth more clock than nextpnr's default, and less luck. It never ends where there is no room.
        roomy=("--placer", "sa"),
    )
    for device in ("hx", "u")
}

_NEXUS = Family(
    name="Nexus",
    # nextpnr-nexus refuses a carry chain that starts from a constant.
    synthesis="synth_nexus -family lifcl -noccu2",
    bare="-noiopad",
    luts={"LUT4|INV": 1, "WIDEFN9": 2, "DPR16X4": 6},
    ffs={"FD1P3.*": 1},
    block_ram={"DP16K|PDP16K|PDPSC16K|PDPW16KD|OXIDE_EBR": 1},
    distributed_ram={"DPR16X4": 1},
    free="VHI|VLO|IB|OB",
    block_ram_kbit=18,
    nextpnr="nextpnr-nexus",
    pin="ldc_set_location -site {{{pin}}} [get_ports {port}]",
    pin_option="--pdc={file}",
    # The default router leaves the clock's pad unconnected in all but the smallest designs.
    options=("--router", "router1"),
)

_GOWIN = Family(
    name="GW2A",
    synthesis="synth_gowin -family gw2a",
    bare="-noiopads",
    luts={"LUT[1-4]|ALU": 1, "RAM16SDP4": 8},
    ffs={"DFF.*": 1},
    block_ram={"SDPB|SDPX9B|DPB|DPX9B|SP|SPX9": 1},
    distributed_ram={"RAM16SDP4": 1},
    free="MUX2_LUT[5-8]|VCC|GND|GSR|INV|IBUF|OBUF",
    block_ram_kbit=18,
    nextpnr="nextpnr-himbaechel-gowin",
    pin='IO_LOC "{port}" {pin};',
    pin_option="--vopt=cst={file}",
)

_XILINX = {
    device: Family(
        name=name,
        synthesis=f"synth_xilinx -family {device} -flatten",
        bare="-noiopad -noclkbuf",
        luts={"LUT[1-6]|SRL16E|SRLC32E": 1, "RAM(32|64|128)X1D": 2, "RAM(32|64)M": 4, "RAM(32|64)M(8|16)": 8},
        ffs={"FD[CPRS]E(_1)?": 1},
        block_ram={"RAMB18E[12]": 1, "RAMB36E[12]": 2},
        distributed_ram={"RAM(32|64|128)X1D": 1, "RAM(32|64)M": 1, "RAM(32|64)M(8|16)": 1},
        free="CARRY[48]|MUXF[789]|INV|VCC|GND",
        block_ram_kbit=18,
    )
    for device, name in (("xc7", "Xilinx 7 series"), ("xcup", "UltraScale+"))
}

_ECP5_SHEET = "Lattice FPGA-DS-02012-1.9 (ECP5 and ECP5-5G Family Data Sheet), table 3.22, fMAX_PRI"
_ECP5_LIMITS = {
    "8": ClockLimit(370, f"{_ECP5_SHEET}, grade 8"),
    **{
        grade: ClockLimit(370, f"{_ECP5_SHEET}, grade 8: grade {grade} has a lower limit, not looked up")
        for grade in "67"
    },
}


def _ecp5(size: str, luts: int, block_ram: int) -> Target:
    return Target(
        name=f"ecp5-{size}",
        device=f"Lattice LFE5U-{size[:-1]}F",
        family=_ECP5,
        speeds=("6", "7", "8"),
        capacity=Capacity(luts, luts, block_ram),
        clock_limits=_ECP5_LIMITS,
        arguments={grade: (f"--{size}", "--package", "CABGA381", "--speed", grade) for grade in "678"},
    )


_ALL = (
    _ecp5("25k", 24288, 56),
    _ecp5("85k", 83640, 208),
    Target(
        name="ice40-hx8k",
        device="Lattice iCE40HX8K",
        family=_ICE40["hx"],
        speeds=("hx",),
        capacity=Capacity(7680, 7680, 32),
        clock_limits={"hx": ClockLimit(275, "Lattice DS1040-3.4 (iCE40 LP/HX Family Data Sheet), page 3-15, "
                                            "External Switching Characteristics of HX devices, fMAX_GBUF")},
        arguments={"hx": ("--hx8k", "--package", "ct256")},
    ),
    Target(
        name="ice40-up5k",
        device="Lattice iCE40UP5K",
        family=_ICE40["u"],
        speeds=("up",),
        capacity=Capacity(5280, 5280, 30),
        clock_limits={"up": ClockLimit(185, "Lattice FPGA-DS-02008 of December 2020 (iCE40 UltraPlus Family "
                                            "Data Sheet), table 4.21, fMAX_GBUF")},
        arguments={"up": ("--up5k", "--package", "sg48")},
        frequency=200,
    ),
    Target(
        name="nexus-40k",
        device="Lattice LIFCL-40",
        family=_NEXUS,
        speeds=("7", "8", "9"),
        capacity=Capacity(32256, 32256, 84),
        arguments={grade: ("--device", f"LIFCL-40-{grade}BG400C") for grade in "789"},
        pins={"aclk": "L13", "aresetn": "E17", "serial_in": "F13", "serial_out": "G13"},
    ),
    Target(
        name="gowin-gw2a-18",
        device="Gowin GW2A-LV18PG256",
        family=_GOWIN,
        speeds=("c8i7",),
        capacity=Capacity(20736, 15552, 46),
        arguments={"c8i7": ("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18")},
        pins={"aclk": "H11", "aresetn": "T10", "serial_in": "L16", "serial_out": "L14"},
    ),
    Target("xilinx-7", "any of Xilinx 7 series", _XILINX["xc7"], speeds=("any",)),
    Target("xilinx-ultrascale-plus", "any of Xilinx UltraScale+", _XILINX["xcup"], speeds=("any",)),
)

TARGETS: Mapping[str, Target] = {each.name: each for each in _ALL}
"""All targets by name."""

AUTOMATIC: Mapping[str, tuple[str, ...]] = {"ecp5": ("ecp5-25k", "ecp5-85k")}
"""Names that stand for the first of several targets that a core fits."""


def target(name: str) -> Target:
    """The target of that name; the smallest device for a name in `AUTOMATIC`. Raises `ValueError`."""
    if name in AUTOMATIC:
        name = AUTOMATIC[name][0]
    if name not in TARGETS:
        raise ValueError(f"target must be one of {', '.join([*AUTOMATIC, *TARGETS])}, got {name!r}")
    return TARGETS[name]
