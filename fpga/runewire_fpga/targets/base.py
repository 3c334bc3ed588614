"""Device families, devices, and what a netlist takes of them: the classes that each family's file fills with data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from runewire_model import ParameterError
from runewire_model.errors import Named

MEMORIES = ("distributed", "block")
"""Names of the memory choices: LUT RAM (``distributed``) and block RAM (``block``)."""

BOTH_MEMORIES = {
    # Not a memory that the Verilog says is block RAM, as a filter's buffer is.
    "distributed": {"map_ram": 'setattr -set ram_style "distributed" t:$mem_v2 a:ram_style %d'},
    # Only memories at least half as wide as a block RAM: Yosys looks at the rows too, and would make all of LUT RAM.
    "block": {"map_ram": 'setattr -set ram_style "block" t:$mem_v2 r:WIDTH>=18 %i'},
}
"""`DeviceFamily.memories` of a family with LUT RAM and block RAM, whose Yosys command has a step ``map_ram``."""

ONLY_BLOCK_MEMORY = {"block": {"map_ram": 'setattr -set ram_style "block" t:$mem_v2'}}
"""`DeviceFamily.memories` of a family without LUT RAM."""

NOT_FOUND = "not found in public documents"
"""`ClockLimit.source` of a limit that no public document states."""


class Part(StrEnum):
    """A part of a device that has a clock limit."""

    NETWORK = "clock network"
    BLOCK_RAM = "block RAM"
    READ_BEFORE_WRITE = "block RAM, read before write"
    LUT_RAM = "LUT RAM"
    FLIP_FLOPS = "flip-flops"


@dataclass(frozen=True)
class Area:
    """Resources that a netlist takes of a device.

    Attributes
    ----------
    luts : LUT sites occupied by logic, carries and LUT RAM
    ffs : flip-flops
    block_ram : block RAMs of the size that `DeviceFamily.block_ram_kbit` states
    distributed_ram : memories made of LUT RAM
    memory_luts : LUT sites that these memories occupy, also counted in ``luts``
    """

    luts: int
    ffs: int
    block_ram: int
    distributed_ram: int
    memory_luts: int


@dataclass(frozen=True)
class Capacity:
    """Resources of a device: LUT sites, flip-flops, block RAMs, as nextpnr's database of the device has them."""

    luts: int
    ffs: int
    block_ram: int


@dataclass(frozen=True)
class ClockLimit:
    """The fastest clock that one part of a device may have, and the document that states it.

    Attributes
    ----------
    what : the part
    mhz : the limit in MHz; None if no document states it
    source : document, page and table
    exact : False for an upper bound: the real limit is lower, and no document states it
    """

    what: Part
    mhz: float | None
    source: str
    exact: bool = True


@dataclass(frozen=True)
class CellClass:
    """A class of netlist cells: the area of one cell, and the clock limit of all.

    Attributes
    ----------
    kinds : regular expression that matches the whole `cell_kind` of each of them
    luts, ffs, block_ram, distributed_ram : area of one cell, as `Area` counts it
    what : the part that they are; None for cells without a clock
    limits : clock limit of each speed grade; a grade without one is missing
    """

    kinds: str
    luts: int = 0
    ffs: int = 0
    block_ram: int = 0
    distributed_ram: int = 0
    what: Part | None = None
    limits: Mapping[str, ClockLimit] = field(default_factory=dict)


@dataclass(frozen=True)
class DeviceFamily:
    """Devices that share cells, a Yosys command and a nextpnr program.

    Attributes
    ----------
    name : name in tables
    synthesis : Yosys command, without ``-top``
    memories : for each memory choice of `MEMORIES` that the family has, Yosys commands to run before a step of
        ``synthesis``, by the name of that step
    cells : every class of cells that a netlist may have
    block_ram_kbit : size of one block RAM
    bare : options of ``synthesis`` that leave out pads
    for_area : options of ``synthesis`` that save area, for compact cores
    mapping_for_area : Yosys commands that replace the steps from ``map_luts`` to ``map_cells``, for compact cores
    before : Yosys commands to run before a step of ``synthesis``, by the name of that step
    before_for_clock : the same, left out for compact cores
    nextpnr : program that places and routes; None if the family is for area only
    out_of_context : whether that program places a core without pads; otherwise the core stands between shift registers
    pin : format of a pin constraint, with ``{port}`` and ``{pin}``
    pin_option : nextpnr's option for the file of constraints, with ``{file}``
    options : options of nextpnr that no placement can do without
    for_clock : options of nextpnr for more clock, left out in the plain flow
    large : options that replace ``for_clock`` for a core of more than ``large_luts`` LUT sites; empty if none do
    large_luts : LUT sites that a core may have and still be placed with ``for_clock``
    limit_s : seconds of processor time after which a run with ``for_clock`` is ended, and ``large`` used; None: never
    roomy : options added to these if the device `Target.surely_fits` the netlist
    layout : layout of cores that suits these devices, one of `runewire_model.transcoder.FAMILIES`
    """

    name: str
    synthesis: str
    memories: Mapping[str, Mapping[str, str]]
    cells: tuple[CellClass, ...]
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
    large_luts: int = 0
    limit_s: int | None = None
    roomy: tuple[str, ...] = ()
    layout: str = "ecp5"

    def memory(self, pipeline: str, asked: str | None = None) -> str:
        """The memory choice: ``asked``, or the default of the pipeline if that is None.

        The default is LUT RAM if the family has any, for its faster clock, and block RAM for a compact core, for its
        smaller area. Raises `ValueError` for a memory that the family does not have.
        """
        if asked is None:
            return "distributed" if "distributed" in self.memories and pipeline != "compact" else "block"
        if asked not in self.memories:
            why = f": {self.name} has no other memory" if asked in MEMORIES else ""
            raise ParameterError(Named("memory"), f" on {self.name} must be {' or '.join(self.memories)}, got {asked!r}"
                                 f"{why}")
        return asked

    def _class_of(self, kind: str) -> CellClass:
        for cells in self.cells:
            if re.fullmatch(cells.kinds, kind):
                return cells
        raise ValueError(f"the netlist for {self.name} has cells of type {kind}, of no known area")

    def area(self, cells: Mapping[str, int]) -> Area:
        """Area of a netlist, from the number of its cells of each kind.

        Raises `ValueError` for a kind that the family does not list: the area would be too small.
        """
        counted = [(self._class_of(kind), count) for kind, count in cells.items()]
        return Area(
            luts=sum(count * each.luts for each, count in counted),
            ffs=sum(count * each.ffs for each, count in counted),
            block_ram=sum(count * each.block_ram for each, count in counted),
            distributed_ram=sum(count * each.distributed_ram for each, count in counted),
            memory_luts=sum(count * each.luts for each, count in counted if each.distributed_ram),
        )

    def used(self, cells: Mapping[str, int]) -> tuple[CellClass, ...]:
        """Classes of the cells in a netlist, in the family's order."""
        found = [self._class_of(kind) for kind in cells]
        return tuple(each for each in self.cells if each in found)

    def used_in(self, area: Area) -> tuple[CellClass, ...]:
        """Classes of the cells in a netlist whose area alone is known: the first class of each resource."""
        resources = [name for name in ("block_ram", "distributed_ram", "ffs") if getattr(area, name)]
        return tuple(next(each for each in self.cells if getattr(each, name)) for name in resources)


@dataclass(frozen=True)
class Target:
    """A device that cores are synthesised for.

    Attributes
    ----------
    name : name that ``--target`` takes
    device : the maker's part
    speeds : speed grades, fastest last
    capacity : None for a target that is a family, for area only
    network : clock limit of the clock network, by speed grade
    arguments : arguments of nextpnr that select the device, by speed grade
    frequency : clock in MHz that nextpnr is asked for, above what any core reaches
    pins : a pin for each port that must have one
    """

    name: str
    device: str
    family: DeviceFamily
    speeds: tuple[str, ...]
    capacity: Capacity | None = None
    network: Mapping[str, ClockLimit] = field(default_factory=dict)
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    frequency: int = 500
    pins: Mapping[str, str] = field(default_factory=dict)

    def speed(self, grade: str | None = None) -> str:
        """The speed grade: the fastest for None. Raises `ValueError` for a grade that the device lacks."""
        if grade is None:
            return self.speeds[-1]
        if grade not in self.speeds:
            raise ParameterError(Named("speed"), f" of {self.name} must be one of {', '.join(self.speeds)}, got "
                                 f"{grade!r}")
        return grade

    def clock_limits(self, speed: str, used: Iterable[CellClass]) -> tuple[ClockLimit, ...]:
        """Clock limits of a netlist with these cells: the clock network's, then each class of cells'."""
        parts = [(Part.NETWORK, self.network), *((cells.what, cells.limits) for cells in used if cells.what)]
        return tuple(limits.get(speed, ClockLimit(what, None, NOT_FOUND)) for what, limits in parts)

    def surely_fits(self, area: Area) -> bool:
        """Whether ``area`` fits even if no look-up table shares a cell with a flip-flop."""
        return self.fits(replace(area, luts=area.luts + area.ffs))

    def fits(self, area: Area, fill: float = 1.0) -> bool:
        """Whether ``area`` takes at most the fraction ``fill`` of each resource."""
        have = self.capacity
        return have is None or (area.luts <= fill * have.luts and area.ffs <= fill * have.ffs
                                and area.block_ram <= fill * have.block_ram)
