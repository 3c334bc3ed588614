"""Part `text_error`: the first error of a text, from the first error of each of its segments."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from amaranth.hdl import Cat, Const
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_byte_line
from runewire_model.report import Sidebands
from runewire_rtl.input.input_stage import InputStage
from runewire_rtl.pipeline import BeatFlags, Lanes, Pipeline, Plan
from runewire_rtl.pipeline.gates import emptied
from runewire_rtl.segments import text_error
from runewire_rtl.segments.context import Forgetting
from runewire_rtl.stream_shapes import KIND_WIDTH

from ..faults import Mutant, changed
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

OFFSET = 3
"""Bits of an offset: texts are longer."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: with each packet's last beat comes the first error of its text so far, of any flow that is watched. Its
    offset counts from the text's start. With ``early`` each beat has whether its text has an error so far.

    The report of each packet is a free input. Packets of two flows come in any order. Offsets have `OFFSET` bits.
    """
    sidebands = parameters.sidebands
    if sidebands.flows is None or sidebands.report == "none" or has_byte_line(parameters):
        return None
    return Proof("text_error", INDUCTIVE, ["pdr"], against("text_error", "delay", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The text's error alone. ``go``, ``go_last``, ``keep``, ``flow``, ``more``: a beat at step 0, with the ``report``
    of its packet. ``told``: the text's, `DELAY` cycles later."""
    sidebands, lanes = parameters.sidebands, parameters.lanes
    full, bits = sidebands.report == "full", min(1, sidebands.flow_bits)
    ports = Ports()
    go, last, keep, flow, more = (ports.new(name, width) for name, width in (
        ("go", 1), ("go_last", 1), ("keep", lanes), ("flow", 1), ("more", 1)))
    width = 1 + (sidebands.report != "flag") * KIND_WIDTH + full * OFFSET
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(go, last))
    given = Lanes(pipe, "keep", [pipe.enter(bit, f"keep_l{lane}") for lane, bit in enumerate(keep)], lanes)
    entry = InputStage(pipe, given, given, go, 0, 0, user=pipe.enter(more, "user"), tags=pipe.enter(flow, "tags"))
    few = cast(Sidebands, SimpleNamespace(report=sidebands.report, offset_bits=OFFSET, flow_bits=bits, user=0,
                                            early=sidebands.early))
    free = pipe.enter(ports.new("report", 1 + KIND_WIDTH + OFFSET)[:width], "report")
    if pipe.plan is not Plan.FAST:
        # As in a core, the report comes no sooner than the flag of a packet's first beat, and in a compact one behind a
        # register.
        free = pipe.step("packet_report", lambda value: value, free, after=pipe.after_register(1) - 1)
    report = text_error.text_error(entry, free, few, Forgetting.never())
    ports.show("told", Cat(report.at(report.step), Const(0, 1 + KIND_WIDTH + OFFSET - width)))
    return ports.cut(LANES=lanes, MANY=bits, OFFSET=OFFSET, WIDTH=width, EARLY=int(sidebands.early),
                     DELAY=pipe.latency(report.step))


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Reports of something else."""
    found = [
        changed("the first error is the segment's", text_error.earlier, lambda sound: lambda before, now: now),
        changed("the first error is never a later segment's", text_error.earlier,
                lambda sound: lambda before, now: before),
    ]
    if parameters.sidebands.early:
        found.append(changed("an error shows with the packet's last beat alone", text_error.early_bit,
                             lambda sound: lambda first, last: emptied(first, ~last)))
    if parameters.sidebands.report == "full":
        found.append(changed("the offset counts from the segment's start", text_error.from_text_start,
                             lambda sound: lambda start, *rest: sound(start & 0, *rest)))
    return found
