"""The devices that a core can be implemented on, as data."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from runewire_model import ParameterError
from runewire_model.errors import Named, check_choice

__all__ = [
    "AUTOMATIC", "MEMORIES", "NOT_FOUND", "TARGETS", "Area", "Capacity", "Cells", "ClockLimit", "Family", "Target",
    "target",
]

MEMORIES = ("distributed", "block")
"""What a core's memories can be made of: look-up tables, or the device's blocks of memory."""

NOT_FOUND = "not found in public documents"
"""Source of a limit that nobody could look up."""


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

    @property
    def large(self) -> bool:
        """Whether it has as many look-up tables as the widest cores."""
        return self.luts > LARGE_LUTS


LARGE_LUTS = 10_000
"""Look-up tables that a large netlist has more of."""


@dataclass(frozen=True)
class Capacity:
    """What a device has: sites of look-up tables, flip-flops, blocks of memory."""

    luts: int
    ffs: int
    block_ram: int


@dataclass(frozen=True)
class ClockLimit:
    """The fastest clock, in MHz, that one part of a device carries (``what``), and where that stands.

    ``mhz`` is None where it could not be looked up. ``exact`` is False for a figure that is known to be too high:
    the limit is lower, by how much is not known.
    """

    what: str
    mhz: float | None
    source: str
    exact: bool = True


@dataclass(frozen=True)
class Cells:
    """Cells of a netlist that are alike: what one takes of the device, and what it lets the clock be.

    ``kinds``: an expression that their types match, with the parameters that `cell_kind` tells of. ``luts``, ``ffs``,
    ``block_ram``, ``distributed_ram``: what one takes, as `Area` counts it. ``what``: their name, for readers; empty
    for cells that hold back no clock: they have no clock pin, or the family is for area only. ``limits``: the fastest
    clock of each speed grade; a grade is missing where none could be looked up.
    """

    kinds: str
    luts: int = 0
    ffs: int = 0
    block_ram: int = 0
    distributed_ram: int = 0
    what: str = ""
    limits: Mapping[str, ClockLimit] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """What the devices of a family have in common.

    ``synthesis``: the Yosys command, without ``-top``; with ``bare`` it leaves out pads, with ``for_area`` it
    spends no area on more clock, and then ``mapping_for_area``, where there is one, are Yosys commands in place of its
    step ``map_luts``, behind which ``map_cells`` comes. ``memories``: for each of
    `MEMORIES` that the family has, what Yosys does before some of its steps, by the name of the step;
    ``before_for_clock`` the same, where clock matters more than area, ``before`` in any case. ``cells``: every kind of
    cell that a netlist may have. ``nextpnr``: the program that places it, None where Yosys stops. ``out_of_context``:
    whether that program places a core without pads; it is put between shift registers where it does not. ``pin``: how
    a pin is constrained, ``pin_option`` how nextpnr is given the file, ``options`` what else it cannot do without,
    ``for_clock`` what it is given for more clock, ``large`` in its place for a netlist that is, and ``roomy`` beside
    it where the device would hold the netlist even if no look-up table shared a cell with a flip-flop.
    """

    name: str
    synthesis: str
    memories: Mapping[str, Mapping[str, str]]
    cells: tuple[Cells, ...]
    block_ram_kbit: int
    bare: str = ""
    for_area: str = ""
    mapping_for_area: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    before_for_clock: Mapping[str, str] = field(default_factory=dict)
    nextpnr: str | None = None
    out_of_context: bool = False
    pin: str = ""
    pin_option: str = ""
    options: tuple[str, ...] = ()
    for_clock: tuple[str, ...] = ()
    large: tuple[str, ...] = ()
    roomy: tuple[str, ...] = ()

    def memory(self, pipeline: str, asked: str | None = None) -> str:
        """What memories are made of: ``asked``, or for None what suits the pipeline.

        That is look-up tables, where the family has such memories, as they carry a faster clock; blocks for a compact
        core, as they take less. Raises `ValueError` for what the family does not have.
        """
        if asked is None:
            return "distributed" if "distributed" in self.memories and pipeline != "compact" else "block"
        if asked not in self.memories:
            why = f": {self.name} has no other memory" if asked in MEMORIES else ""
            raise ParameterError(Named("memory"), f" on {self.name} must be {' or '.join(self.memories)}, got {asked!r}"
                                 f"{why}")
        return asked

    def _cells(self, kind: str) -> Cells:
        for cells in self.cells:
            if re.fullmatch(cells.kinds, kind):
                return cells
        raise ValueError(f"the netlist for {self.name} has cells of type {kind}, of no known area")

    def area(self, cells: Mapping[str, int]) -> Area:
        """The area of a netlist of so many cells of each kind.

        Raises `ValueError` for a kind of cell that the family does not list: an area must not be too small.
        """
        counted = [(self._cells(kind), count) for kind, count in cells.items()]
        return Area(
            luts=sum(count * each.luts for each, count in counted),
            ffs=sum(count * each.ffs for each, count in counted),
            block_ram=sum(count * each.block_ram for each, count in counted),
            distributed_ram=sum(count * each.distributed_ram for each, count in counted),
            memory_luts=sum(count * each.luts for each, count in counted if each.distributed_ram),
        )

    def used(self, cells: Mapping[str, int]) -> tuple[Cells, ...]:
        """The entries of ``cells`` that a netlist with these kinds of cells has, in the family's order."""
        found = [self._cells(kind) for kind in cells]
        return tuple(each for each in self.cells if each in found)

    def used_in(self, area: Area) -> tuple[Cells, ...]:
        """The same for a netlist of which the area alone is known: the first entry for each thing that it takes."""
        resources = [name for name in ("block_ram", "distributed_ram", "ffs") if getattr(area, name)]
        return tuple(next(each for each in self.cells if getattr(each, name)) for name in resources)


@dataclass(frozen=True)
class Target:
    """A device. ``speeds`` are its grades, fastest last; ``arguments`` those of nextpnr, by grade.

    ``frequency``: the clock in MHz that nextpnr is asked for, above what any core reaches. ``capacity`` is
    None for a target that stands for a family, where only the area is known. ``network``: what its clock network
    carries, by grade.
    """

    name: str
    device: str
    family: Family
    speeds: tuple[str, ...]
    capacity: Capacity | None = None
    network: Mapping[str, ClockLimit] = field(default_factory=dict)
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    frequency: int = 500
    pins: Mapping[str, str] = field(default_factory=dict)

    def speed(self, grade: str | None = None) -> str:
        """``grade`` if the device comes in it, the fastest for None. Raises `ValueError` for another."""
        if grade is None:
            return self.speeds[-1]
        if grade not in self.speeds:
            raise ParameterError(Named("speed"), f" of {self.name} must be one of {', '.join(self.speeds)}, got "
                                 f"{grade!r}")
        return grade

    def clock_limits(self, speed: str, used: Iterable[Cells]) -> tuple[ClockLimit, ...]:
        """What holds back the clock of a netlist that has these cells: the clock network, and each kind of them."""
        parts = [(NETWORK, self.network), *((cells.what, cells.limits) for cells in used if cells.what)]
        return tuple(limits.get(speed, ClockLimit(what, None, NOT_FOUND)) for what, limits in parts)

    def surely_fits(self, area: Area) -> bool:
        """Whether ``area`` fits even if no look-up table shares a cell with a flip-flop."""
        return self.fits(replace(area, luts=area.luts + area.ffs))

    def fits(self, area: Area, fill: float = 1.0) -> bool:
        """Whether ``area`` takes no more of the device than the fraction ``fill`` of anything."""
        have = self.capacity
        return have is None or (area.luts <= fill * have.luts and area.ffs <= fill * have.ffs
                                and area.block_ram <= fill * have.block_ram)


NETWORK, BLOCK_RAM, LUT_RAM, FLIP_FLOPS = "clock network", "block RAM", "LUT RAM", "flip-flops"

_MEMORIES = {
    "distributed": {"map_ram": 'setattr -set ram_style "distributed" t:$mem_v2'},
    # Half as wide as a block RAM and up: Yosys looks at the rows too, and would make all of look-up tables.
    "block": {"map_ram": 'setattr -set ram_style "block" t:$mem_v2 r:WIDTH>=18 %i'},
}
_ONLY_BLOCKS = {"block": {"map_ram": 'setattr -set ram_style "block" t:$mem_v2'}}


def _trellis(what: str, entry: str, *widths: int, family: str = "ECP5", grades: str = "678") -> dict[str, ClockLimit]:
    """Limits of the grades of a family: a clock is high and low for so many picoseconds at least."""
    return {
        grade: ClockLimit(what, math.floor(1e8 / (2 * width)) / 100,
                          f"Project Trellis' timing database ({family}/timing/speed_{grade}/cells.json): {entry}, "
                          f"high and low for {width} ps at least")
        for grade, width in zip(grades, widths, strict=True)
    }


_ECP5 = Family(
    name="ECP5",
    synthesis="synth_ecp5",
    # A function of five or six inputs, made of two or four look-up tables and multiplexers, is faster than one of
    # look-up tables alone, and most often larger.
    for_area="-nowidelut",
    # ABC's mapping for area, of logic that was made small first: a twentieth less than what the command does by itself.
    mapping_for_area='abc -lut 4 -script "+strash;&get,-n;&syn3;&syn3;&syn4;&syn4;&synch2,-K,4;&if,-a,-K,4;&satlut;'
                     '&put;mfs2,-a,-M,10"\nclean',
    memories=_MEMORIES,
    cells=(
        # Writing through allows a clock that is a little faster.
        Cells("(DP16KD|PDPW16KD)(:(WRITEMODE_[AB]=(NORMAL|WRITETHROUGH),?)+)?", block_ram=1, what=BLOCK_RAM,
              limits=_trellis(BLOCK_RAM, "DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL, CLKA and CLKB",
                              2359, 1967, 1842)),
        Cells("DP16KD:.*READBEFOREWRITE.*", block_ram=1, what=f"{BLOCK_RAM}, read before write", limits=_trellis(
            f"{BLOCK_RAM}, read before write", "DP16KD:WRITEMODE_A=NORMAL,WRITEMODE_B=READBEFOREWRITE, CLKB",
            3235, 2581, 2335)),
        # A 16x4 memory takes the look-up tables of three slices: two hold it, the third is its write port.
        Cells("TRELLIS_DPR16X4", luts=6, distributed_ram=1, what=LUT_RAM,
              limits=_trellis(LUT_RAM, "SDPRAME, CLK", 1050, 1092, 1134)),
        Cells("TRELLIS_FF", ffs=1, what=FLIP_FLOPS, limits=_trellis(FLIP_FLOPS, "SLOGICB, CLK", 1050, 1092, 1134)),
        Cells("LUT4", luts=1),
        Cells("CCU2C", luts=2),
        Cells("PFUMX|L6MUX21"),
    ),
    block_ram_kbit=18,
    nextpnr="nextpnr-ecp5",
    out_of_context=True,
    options=("--out-of-context",),
    # The placer gives more clock than nextpnr's default, most where there is block RAM.
    for_clock=("--placer", "static"),
    # Of the widest cores it leaves one register far from the next, in another place with each seed. The default, with
    # ten times its weight on slow paths, does not; of others it makes less.
    large=("--placer", "heap", "--placer-heap-timingweight", "100", "--placer-heap-critexp", "4"),
)

_HX_SHEET = "Lattice DS1040-3.4 (iCE40 LP/HX Family Data Sheet)"
_UP_SHEET = "Lattice FPGA-DS-02008 of December 2020 (iCE40 UltraPlus Family Data Sheet)"


def _ice40(device: str, block_ram: Cells, flip_flops: Cells) -> Family:
    return Family(
        name="iCE40",
        synthesis=f"synth_ice40 -device {device}",
        # There are no small memories but flip-flops behind a decoder, which would be the slowest path.
        memories=_ONLY_BLOCKS,
        # A flip-flop's enable holds back its reset too, so that a reset which must not wait costs a gate before the
        # enable, on the slowest path. A look-up table before the flip-flop enables it instead.
        before_for_clock={"map_ffs": "dffunmap -ce-only t:$_SDFFE_*"},
        cells=(block_ram, flip_flops, Cells("SB_LUT4", luts=1), Cells("SB_CARRY")),
        block_ram_kbit=4,
        nextpnr="nextpnr-ice40",
        # A tenth more clock than nextpnr's default, and less luck. It never ends where there is no room.
        roomy=("--placer", "sa"),
    )


_ICE40_HX = _ice40(
    "hx",
    Cells("SB_RAM40_4K.*", block_ram=1, what=BLOCK_RAM, limits={"hx": ClockLimit(
        BLOCK_RAM, 403, f"{_HX_SHEET}, page 3-10, Register-to-Register Performance of HX devices, "
                        "256x16 Pseudo-Dual Port RAM")}),
    Cells("SB_DFF.*", ffs=1, what=FLIP_FLOPS, limits={"hx": ClockLimit(
        FLIP_FLOPS, 305, f"{_HX_SHEET}, page 3-10, Register-to-Register Performance of HX devices, 16:1 MUX: "
                         "what flip-flops carry with that between them")}),
)
_ICE40_UP = _ice40(
    "u",
    Cells("SB_RAM40_4K.*", block_ram=1, what=BLOCK_RAM, limits={"up": ClockLimit(
        BLOCK_RAM, 150, f"{_UP_SHEET}, table 4.16, 256 x 16 Pseudo-Dual Port RAM")}),
    Cells("SB_DFF.*", ffs=1, what=FLIP_FLOPS),
)

_NEXUS = Family(
    name="Nexus",
    # nextpnr-nexus refuses a carry chain that starts from a constant.
    synthesis="synth_nexus -family lifcl -noccu2",
    bare="-noiopad",
    for_area="-nowidelut",
    memories=_MEMORIES,
    cells=(
        Cells("(DP16K|PDP16K|PDPSC16K|PDPW16KD|OXIDE_EBR)(:.*)?", block_ram=1, what=BLOCK_RAM),
        Cells("DPR16X4", luts=6, distributed_ram=1, what=LUT_RAM),
        Cells("FD1P3.*", ffs=1, what=FLIP_FLOPS),
        Cells("LUT4|INV", luts=1),
        Cells("WIDEFN9", luts=2),
        Cells("VHI|VLO|IB|OB"),
    ),
    block_ram_kbit=18,
    nextpnr="nextpnr-nexus",
    pin="ldc_set_location -site {{{pin}}} [get_ports {port}]",
    pin_option="--pdc={file}",
    # The default router leaves the clock's pad unconnected in all but the smallest designs.
    options=("--router", "router1"),
)


def _machxo(name: str, synthesis: str, grades: str) -> Family:
    def limits(what: str, entry: str, *widths: int) -> dict[str, ClockLimit]:
        # nextpnr has these for MachXO3 too.
        return _trellis(what, entry, *widths[-len(grades):], family="MachXO2", grades=grades)

    return Family(
        name=name,
        synthesis=f"synth_lattice -family {synthesis}",
        memories=_MEMORIES,
        cells=(
            Cells("DP8KC(:(WRITEMODE_[AB]=(NORMAL|WRITETHROUGH),?)+)?", block_ram=1, what=BLOCK_RAM, limits=limits(
                BLOCK_RAM, "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=NORMAL, CLKA and CLKB", 3333, 3036, 2739)),
            Cells("DP8KC:.*READBEFOREWRITE.*", block_ram=1, what=f"{BLOCK_RAM}, read before write", limits=limits(
                f"{BLOCK_RAM}, read before write", "DP8KC:WRITEMODE_A=NORMAL,WRITEMODE_B=READBEFOREWRITE, CLKB",
                5080, 4623, 4166)),
            Cells("TRELLIS_DPR16X4", luts=6, distributed_ram=1, what=LUT_RAM,
                  limits=limits(LUT_RAM, "SLICE, CLK and WCK", 1250, 1125, 1000)),
            Cells("TRELLIS_FF", ffs=1, what=FLIP_FLOPS, limits=limits(FLIP_FLOPS, "SLICE, CLK", 1250, 1125, 1000)),
            Cells("LUT4", luts=1),
            Cells("CCU2D", luts=2),
            Cells("PFUMX|L6MUX21"),
        ),
        block_ram_kbit=9,
        nextpnr="nextpnr-machxo2",
        # Where the clock's pad is not given, nextpnr may choose a network that it has no way from to all of the device
        # (nextpnr#1236).
        pin='LOCATE COMP "{port}" SITE "{pin}";',
        pin_option="--lpf={file}",
        options=("--lpf-allow-unconstrained",),
    )


_MACHXO2, _MACHXO3LF = _machxo("MachXO2", "xo2", "456"), _machxo("MachXO3LF", "xo3", "56")

_GOWIN = Family(
    name="GW2A",
    synthesis="synth_gowin -family gw2a",
    bare="-noiopads",
    for_area="-nowidelut",
    memories=_MEMORIES,
    cells=(
        Cells("SDPB|SDPX9B|DPB|DPX9B|SP|SPX9", block_ram=1, what=BLOCK_RAM),
        Cells("RAM16SDP4", luts=8, distributed_ram=1, what=LUT_RAM),
        Cells("DFF.*", ffs=1, what=FLIP_FLOPS),
        Cells("LUT[1-4]|ALU", luts=1),
        Cells("MUX2_LUT[5-8]|VCC|GND|GSR|INV|IBUF|OBUF"),
    ),
    block_ram_kbit=18,
    nextpnr="nextpnr-himbaechel-gowin",
    pin='IO_LOC "{port}" {pin};',
    pin_option="--vopt=cst={file}",
)

_GW5A = Family(
    name="GW5A",
    synthesis="synth_gowin -family gw5a",
    bare="-noiopads",
    for_area="-nowidelut",
    # nextpnr knows of no look-up tables in this family that are memories.
    memories=_ONLY_BLOCKS,
    cells=(
        # Of one port to write and one to read, which Yosys takes where a memory is too wide for others: nextpnr makes
        # two of one that is 32 or 36 wide.
        Cells("SDPB|SDPX9B", block_ram=2, what=BLOCK_RAM),
        Cells("DPB|DPX9B|SP|SPX9", block_ram=1, what=BLOCK_RAM),
        Cells("DFF.*", ffs=1, what=FLIP_FLOPS),
        Cells("LUT[1-4]|ALU", luts=1),
        Cells("MUX2_LUT[5-8]|VCC|GND|GSR|INV|IBUF|OBUF"),
    ),
    block_ram_kbit=18,
    nextpnr="nextpnr-himbaechel-gowin",
    pin='IO_LOC "{port}" {pin};',
    pin_option="--vopt=cst={file}",
)

_GATEMATE = Family(
    name="GateMate",
    # nextpnr has no multiplexers of eight.
    synthesis="synth_gatemate -luttree -nomx8",
    bare="-noiopad -noclkbuf",
    memories={"block": {"map_bram": 'setattr -set ram_style "block" t:$mem_v2'}},
    # Other families' synthesis does that by itself, for the names on the slowest path.
    before={"check": "autoname"},
    cells=(
        Cells("CC_BRAM_20K", block_ram=1, what=BLOCK_RAM),
        Cells("CC_BRAM_40K", block_ram=2, what=BLOCK_RAM),
        Cells("CC_DFF", ffs=1, what=FLIP_FLOPS),
        # The sites are halves of a cell of the device: a tree of look-up tables with four inputs, or a bit of an adder.
        Cells("CC_L2T4|CC_LUT[12]|CC_MX2|CC_ADDF", luts=1),
        Cells("CC_L2T5|CC_MX4", luts=2),
        Cells("CC_BUFG|CC_IBUF|CC_OBUF"),
    ),
    block_ram_kbit=20,
    nextpnr="nextpnr-himbaechel-gatemate",
    options=("--vopt", "allow-unconstrained"),
)

# No clock is known of these, so that nothing is a limit.
_XILINX = {
    device: Family(
        name=name,
        synthesis=f"synth_xilinx -family {device} -flatten",
        bare="-noiopad -noclkbuf",
        memories={memory: {"map_memory": what["map_ram"]} for memory, what in _MEMORIES.items()},
        cells=(
            Cells("RAMB18E[12]", block_ram=1),
            Cells("RAMB36E[12]", block_ram=2),
            Cells("RAM(32|64|128)X1D", luts=2, distributed_ram=1),
            Cells("RAM(32|64)M", luts=4, distributed_ram=1),
            Cells("RAM(32|64)M(8|16)", luts=8, distributed_ram=1),
            Cells("FD[CPRS]E(_1)?", ffs=1),
            Cells("LUT[1-6]|SRL16E|SRLC32E", luts=1),
            Cells("CARRY[48]|MUXF[789]|INV|VCC|GND"),
        ),
        block_ram_kbit=18,
    )
    for device, name in (("xc7", "Xilinx 7 series"), ("xcup", "UltraScale+"))
}

_ECP5_SHEET = "Lattice FPGA-DS-02012-1.9 (ECP5 and ECP5-5G Family Data Sheet), table 3.22, fMAX_PRI"
_ECP5_NETWORK = {
    "8": ClockLimit(NETWORK, 370, f"{_ECP5_SHEET}, grade 8"),
    **{
        grade: ClockLimit(NETWORK, 370, f"{_ECP5_SHEET}, grade 8: grade {grade} has a lower limit, not found",
                          exact=False)
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
        network=_ECP5_NETWORK,
        arguments={grade: (f"--{size}", "--package", "CABGA381", "--speed", grade) for grade in "678"},
    )


_ALL = (
    _ecp5("25k", 24288, 56),
    _ecp5("85k", 83640, 208),
    Target(
        name="ice40-hx8k",
        device="Lattice iCE40HX8K",
        family=_ICE40_HX,
        speeds=("hx",),
        capacity=Capacity(7680, 7680, 32),
        network={"hx": ClockLimit(NETWORK, 275, f"{_HX_SHEET}, page 3-15, External Switching Characteristics of HX "
                                                "devices, fMAX_GBUF")},
        arguments={"hx": ("--hx8k", "--package", "ct256")},
    ),
    Target(
        name="ice40-up5k",
        device="Lattice iCE40UP5K",
        family=_ICE40_UP,
        speeds=("up",),
        capacity=Capacity(5280, 5280, 30),
        network={"up": ClockLimit(NETWORK, 185, f"{_UP_SHEET}, table 4.21, fMAX_GBUF")},
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
        name="machxo2-1200",
        device="Lattice LCMXO2-1200HC",
        family=_MACHXO2,
        speeds=("4", "5", "6"),
        capacity=Capacity(1280, 1280, 7),
        arguments={grade: ("--device", f"LCMXO2-1200HC-{grade}TG144C") for grade in "456"},
        pins={"aclk": "128"},
    ),
    Target(
        name="machxo3lf-6900",
        device="Lattice LCMXO3LF-6900C",
        family=_MACHXO3LF,
        speeds=("5", "6"),
        capacity=Capacity(6864, 6864, 26),
        arguments={grade: ("--device", f"LCMXO3LF-6900C-{grade}BG256C") for grade in "56"},
        pins={"aclk": "C8"},
    ),
    Target(
        name="gatemate-a1",
        device="Cologne Chip CCGM1A1",
        family=_GATEMATE,
        # The modes that the core's voltage allows.
        speeds=("lowpower", "economy", "speed"),
        capacity=Capacity(40960, 40960, 64),
        arguments={grade: ("--device", "CCGM1A1", "--vopt", f"fpga_mode={number}")
                   for number, grade in enumerate(("lowpower", "economy", "speed"), 1)},
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
        check_choice("target", name, (*AUTOMATIC, *TARGETS))
    return TARGETS[name]
