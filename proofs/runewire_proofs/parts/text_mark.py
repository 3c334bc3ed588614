"""Part `text_mark`: the added byte order mark of a text is in its first segment, and in no later one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Const, Signal
from runewire_model import TranscoderParameters
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
from runewire_rtl.segments import text_mark
from runewire_rtl.segments.context import Forgetting
from runewire_rtl.segments.segment_beats import Beats, Options
from runewire_rtl.segments.support import UNFINISHED

from ..faults import Mutant, never, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .contexts import of_contexts


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: the beat before a segment is an added mark if it is the text's first segment, for any flow that is
    watched, also if the segment is empty.

    Segments of two flows come in any order, with any beats and pauses.
    """
    if parameters.sidebands.flows is None or not parameters.mark:
        return None
    return Proof("text_mark", INDUCTIVE, ["pdr"], against("text_mark", "delay", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The flag alone. ``go``, ``go_last``, ``mark``, ``more``, ``flow``: a beat at step 0. ``adds``: it is an added
    mark, `DELAY` cycles later."""
    bits = min(1, parameters.sidebands.flow_bits)
    ports = Ports()
    go, last, mark, more, flow = (ports.new(name, 1) for name in ("go", "go_last", "mark", "more", "flow"))
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(go, last))
    none = pipe.enter(Const(0, 1), "none")
    beats = Beats(pipe, Signal(), none, none, none, none, pipe.enter(more, "more"), none,
                  pipe.enter(flow, "flow") if bits else None, {"mark": pipe.enter(mark, "mark_beat")})
    reads = parameters.reads
    options = Options(parameters.sidebands, reads, parameters.in_place, UNFINISHED[reads.unit_bytes],
                      Forgetting.never())
    adds = text_mark.text_mark(beats, options)
    ports.show("adds", adds.at(adds.step))
    return ports.cut(MANY=bits, DELAY=pipe.latency(adds.step))


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Marks in other segments."""
    def whatever(sound: Callable[..., Any]) -> Callable[..., Any]:
        return lambda mark, opened: mark

    def unended(sound: Callable[..., Any]) -> Callable[..., Any]:
        return lambda last, more: last

    return [
        step("every segment has a mark", "adds", whatever),
        step("no segment has a mark", "adds", never),
        step("a text that ended has the next one's mark", "text_goes_on", unended),
        *(of_contexts() if parameters.sidebands.flow_bits else []),
    ]
