"""Part `whole`: a smallest compact core from port to port, as the Verilog that users get."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Module
from runewire_model import CompactTiming, TranscoderParameters
from runewire_model.report import REPORTS, Sidebands
from runewire_rtl import timing
from runewire_rtl.input.skid import Skid
from runewire_rtl.reset_sequencer import start_cycles

from ..delivered import core_text, delivered
from ..encodings import SPECIFICATIONS, fused
from ..faults import Mutant, changed, said
from ..miter import Miter
from ..proof import INDUCTIVE, Facts, Proof
from . import reset, rows, skid, waiting, window

CORES = {("utf-8", None): (1, 8), ("utf-8", "utf-32le"): (4, 21), ("utf-32le", "utf-8"): (1, 8),
         ("utf-16le", "utf-8"): (1, 8)}
"""Source and target of the cores that are proven: bytes of an item of their rows on the bus, and bits of it. Of a
sanitizer with U+FFFD the engine decides handshakes, ``last`` and keep bits, but not the first data bit in five
minutes."""
LANES = 4
"""Lanes of the widest validator that the engine decides. A decoder of two lanes takes it more than the usual time."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: from port to port, the output is what the serial specifications make of the input, in order, once, and
    soon enough; ``valid`` stays high until the handshake; and all that after resets at any time.

    Of the smallest cores. The report's offset is left out.
    """
    if not _is_smallest(parameters):
        return None

    def miter(facts: Facts) -> Miter:
        files = [f"encodings/{SPECIFICATIONS[parameters.source].source}"]
        if parameters.target is not None:
            files.append(f"encodings/{(fused(parameters) or SPECIFICATIONS[parameters.target]).target}")
        return Miter(delivered(parameters), "whole", [*files, "parts/whole.v"], facts or _facts(parameters),
                     delivered=True)

    return Proof("whole", INDUCTIVE, ["pdr"], miter, _mutants(parameters))


def _is_smallest(parameters: TranscoderParameters) -> bool:
    """Whether a core is small enough: compact, of one lane or a narrow validator, and no sideband but a report."""
    sidebands = parameters.sidebands
    lanes = 1 if parameters.target else LANES
    return (parameters.pipeline == "compact" and parameters.lanes <= lanes and not parameters.mark
            and (parameters.source, parameters.target) in CORES
            and sidebands == Sidebands(sidebands.report, sidebands.offset_bits)
            and (parameters.target is None or not parameters.in_place))


def _facts(parameters: TranscoderParameters) -> dict[str, int]:
    item, width = CORES[parameters.source, parameters.target]
    sidebands, time, passes = parameters.sidebands, timing(parameters), parameters.target is None
    assert isinstance(time, CompactTiming), "the smallest cores are compact, without a packer"
    return {
        "LANES": parameters.lanes, "UNIT": parameters.reads.unit_bytes,
        "SLOTS": 1 if passes else parameters.slots, "WIDTH": width,
        "ITEM": item, "PASS": int(passes), "LOOKAHEAD": time.lookahead, "AMOUNT": REPORTS.index(sidebands.report),
        "DROP": int(parameters.errors == "drop"), "STRIP": int(parameters.bom == "strip"),
        "OFFSET": sidebands.offset_bits if sidebands.report == "full" else 0,
        "LATENCY": time.latency, "START": start_cycles(time.latency)}


def _mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Broken cores, from port to port: what breaks a part of one, and ports that say something else."""
    sidebands = parameters.sidebands
    # An offset is not looked at.
    seen = replace(parameters, sidebands=replace(
        sidebands, report="kind" if sidebands.report == "full" else sidebands.report))
    parts = [*window.proof(seen).mutants, *rows.mutants(parameters), *skid.rebuilt_mutants(), *waiting.mutants(),
             *reset.mutants(compact=True)]
    return [
        # Tied registers are named as in the netlist; in Verilog they have other names.
        *(mutant for mutant in parts if not mutant.edits),
        _skid("a beat that waits is lost", lambda skid: skid.output.valid.eq(skid.given.valid & skid.open)),
        _skid("a beat comes twice when the pipeline stops",
              lambda skid: skid.given.ready.eq((skid.open & ~skid.output.valid) | skid.advance)),
        _port("last is dropped", "m_axis_tlast", "0"),
        _port("all bytes are kept", "m_axis_tkeep", "~0"),
        _port("a bit of the data is dropped", "m_axis_tdata", "given & ~1"),
        *([_port("the report is dropped", "m_axis_tuser", "0")] if sidebands.told else []),
        _port("an offer waits for the input", "m_axis_tvalid", "given & s_axis_tvalid"),
        _port("nothing comes out", "m_axis_tvalid", "0"),
        _port("nothing is taken", "s_axis_tready", "0"),
    ]


def _skid(title: str, says: Callable[[Skid], Any]) -> Mutant:
    """Another skid buffer."""
    def described(m: Module, skid: Skid) -> None:
        m.d.comb += says(skid)
    return said(title, Skid, described)


def _port(title: str, name: str, says: str) -> Mutant:
    """A core whose port ``says`` something else than it is ``given``, in Verilog."""
    def change(sound: Callable[[TranscoderParameters], str]) -> Callable[[TranscoderParameters], str]:
        def text(parameters: TranscoderParameters) -> str:
            whole, hits = re.subn(rf"\.{name} *\({name}\)", f".{name}(given)", sound(parameters), count=1)
            if not hits:
                raise LookupError(f"no port is called {name} any more: the mutant {title!r} breaks nothing")
            return whole.replace("endmodule", f"wire [63:0] given;\nassign {name} = {says};\nendmodule", 1)
        return text
    return changed(title, core_text, change)
