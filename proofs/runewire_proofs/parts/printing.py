"""Part `printing`: the Verilog that users get is the design that is proven."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from runewire_model import TranscoderParameters
from runewire_rtl.cut_points import cut_point
from runewire_rtl.ports import ports
from runewire_rtl.verilog.generation import core_rtlil

from ..delivered import delivered
from ..engines import COMBINATIONAL
from ..faults import Mutant, changed
from ..paired import Description, Paired
from ..proof import Facts, Proof


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: as Yosys reads both, the delivered Verilog and the core's RTLIL have the same registers and memories.
    Registers start equal; where they and the rows that are read are equal, outputs and next values are.

    The first contents of memories are left out: in Verilog they are unknown.
    """
    texts = cache(lambda: _texts(parameters))

    def miter(facts: Facts) -> Paired:
        rtlil, verilog = texts()
        return Paired.of(
            Description((("core.il", rtlil), ("around.v", _around(parameters))),
                        ("read_rtlil core.il", "read_verilog around.v")),
            Description((("printed.v", printed(verilog)),), ("read_verilog printed.v",)))

    return Proof("printing", COMBINATIONAL, [], miter, _mutants(parameters))


def _texts(parameters: TranscoderParameters) -> tuple[str, str]:
    """The core as RTLIL, and the Verilog that is written of it, with a top module ``dut``."""
    made: list[str] = []

    def noted(sound: Callable[..., str]) -> Callable[..., str]:
        def rtlil(*arguments: object) -> str:
            made.append(sound(*arguments))
            return made[-1]
        return rtlil

    with core_rtlil.replaced(noted):
        verilog = delivered(parameters)
    return made[-1], verilog


def _around(parameters: TranscoderParameters) -> str:
    """Verilog of a module with the ports of the delivered one, around the core in RTLIL."""
    clock, reset, *others = ports(parameters)
    declared = ", ".join(f"{port.direction} wire [{port.width - 1}:0] {port.name}" for port in (clock, reset, *others))
    joined = ", ".join([f".clk({clock.name})", f".rst(~{reset.name})", *(f".{name}({name})" for name, *_ in others)])
    return f"module dut ({declared});\n    ports core ({joined});\nendmodule\n"


@cut_point
def printed(verilog: str) -> str:
    """The text that is compared."""
    return verilog


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Printers that write something else in one place, in the middle of the text."""
    return [
        _misprint("a negation is dropped", r"~(?=[\w(])", lambda found: ""),
        _misprint("two parts of a word are swapped", r"(<= \{)([^{},]+), ([^{},]+)",
                  lambda found: f"{found[1]}{found[3]}, {found[2]}"),
        _misprint("an enable is lost", r"if \(\w+\) begin", lambda found: "if (1'b1) begin"),
        _misprint("a register starts otherwise", r"(reg +\w+ = 1'b)([01])",
                  lambda found: f"{found[1]}{1 - int(found[2])}"),
        *([_misprint("a memory has one row less", r"rows \[0:(\d+)\]", lambda found: f"rows [0:{int(found[1]) - 1}]")]
          if parameters.pipeline != "compact" else []),
    ]


def _misprint(title: str, pattern: str, says: Callable[[re.Match[str]], str]) -> Mutant:
    """Another text at the middle place of the pattern. There must be one: LookupError."""
    def change(sound: Callable[[str], str]) -> Callable[[str], str]:
        def text(verilog: str) -> str:
            whole = sound(verilog)
            places = list(re.finditer(pattern, whole))
            if not places:
                raise LookupError(f"the Verilog has no {pattern!r}: the mutant {title!r} breaks nothing")
            place = places[len(places) // 2]
            return whole[: place.start()] + says(place) + whole[place.end() :]
        return text
    return changed(title, printed, change)
