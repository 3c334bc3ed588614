"""Part `text_record`: the record that continues in the flow's next segment."""

from __future__ import annotations

from dataclasses import replace

from runewire_model import TranscoderParameters
from runewire_rtl.input.input_stage import InputStage
from runewire_rtl.pipeline import BeatFlags, Lanes, Pipeline, Plan
from runewire_rtl.segments.context import Forgetting
from runewire_rtl.segments.record_context import record_context

from ..faults import Mutant, never, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .contexts import of_contexts


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: before each beat a flag has whether the record under way is ill-formed so far, for any flow that is
    watched. With a text's last beat come two flags: its last record has no delimiter, and is ill-formed.

    Delimiters and ill-formed lanes are free. Packets of two flows come in any order.
    """
    if parameters.sidebands.flows is None or parameters.sidebands.records is None:
        return None
    return Proof("text_record", INDUCTIVE, ["pdr"], against("text_record", "delay", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The state alone. ``go``, ``go_last``, ``flow``, ``more``, ``keep``, ``ends``, ``any_end``, ``rest``: a beat at
    step 0. ``bad`` and ``tail``: its flags, `DELAY` and `TAIL` cycles later."""
    lanes, bits = parameters.lanes, min(1, parameters.sidebands.flow_bits)
    few = replace(parameters.sidebands, user=0, id=bits, dest=0, flows=1 << bits)
    ports = Ports()
    go, last, flow, more, keep, ends, any_end, rest = (ports.new(name, width) for name, width in (
        ("go", 1), ("go_last", 1), ("flow", 1), ("more", 1), ("keep", lanes), ("ends", lanes), ("any_end", 1),
        ("rest", 1)))
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(go, last))
    kept, delimiters = ([pipe.enter(bit, f"{name}_l{lane}") for lane, bit in enumerate(flags)]
                        for name, flags in (("keep", keep), ("ends", ends)))
    there = Lanes(pipe, "keep", kept, lanes)
    entry = InputStage(pipe, there, there, go, 0, 0, user=pipe.enter(more, "user"), tags=pipe.enter(flow, "tags"))
    state = record_context(entry, delimiters, pipe.enter(any_end, "any_end"), pipe.enter(rest, "rest"), few,
                           Forgetting.never())
    ports.show("bad", state.bad.at(state.bad.step))
    ports.show("tail", state.tail.at(state.tail.step))
    return ports.cut(LANES=lanes, MANY=bits, DELAY=pipe.latency(state.bad.step), TAIL=pipe.latency(state.tail.step))


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Records of another text, or none."""
    return [
        step("no record continues", r"goes_on_l\d+", never),
        step("a record continues in the next text", "text_closes", never),
        step("a last record without delimiter has no flag", "tail", never),
        *(of_contexts() if parameters.sidebands.flow_bits else []),
    ]
