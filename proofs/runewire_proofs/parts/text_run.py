"""Part `text_run`: a run of ill-formed subparts that continues in the flow's next segment."""

from __future__ import annotations

from dataclasses import replace

from runewire_model import TranscoderParameters
from runewire_rtl.input.input_stage import InputStage
from runewire_rtl.pipeline import BeatFlags, Lanes, Pipeline, Plan
from runewire_rtl.segments.context import Forgetting
from runewire_rtl.segments.run_context import run_context

from ..faults import Mutant, never, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .contexts import of_contexts


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: before each beat a flag has whether the text ends with an ill-formed subpart so far, for any flow that is
    watched.

    The lanes in which characters and ill-formed subparts end are free. Packets of two flows come in any order.
    """
    if parameters.sidebands.flows is None or not parameters.replace_runs:
        return None
    return Proof("text_run", INDUCTIVE, ["pdr"], against("text_run", "delay", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The flag alone. ``go``, ``go_last``, ``flow``, ``more``, ``every``, ``whole``: a beat at step 0. ``before``: the
    text before it ends with an ill-formed subpart, `DELAY` cycles later."""
    lanes, bits = parameters.lanes, min(1, parameters.sidebands.flow_bits)
    few = replace(parameters.sidebands, user=0, id=bits, dest=0, flows=1 << bits)
    ports = Ports()
    go, last, flow, more, every, whole = (ports.new(name, width) for name, width in (
        ("go", 1), ("go_last", 1), ("flow", 1), ("more", 1), ("every", lanes), ("whole", lanes)))
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(go, last))
    ending, sound = (Lanes(pipe, name, [pipe.enter(bit, f"{name}_l{lane}") for lane, bit in enumerate(flags)], lanes)
                     for name, flags in (("every", every), ("whole", whole)))
    entry = InputStage(pipe, ending, ending, go, 0, 0, user=pipe.enter(more, "user"), tags=pipe.enter(flow, "tags"))
    before = run_context(entry, ending, sound, few, Forgetting.never())
    ports.show("before", before.at(before.step))
    return ports.cut(LANES=lanes, MANY=bits, DELAY=pipe.latency(before.step))


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Runs of another text, or none."""
    found = [
        step("no run continues", r"part_ends_l\d+", never),
        step("a run continues in the next text", "text_closes", never),
    ]
    if parameters.lanes > 1:
        found.append(step("a character in a higher lane ends no run", r"last_is_part\d+_\d+",
                          lambda sound: lambda high, high_part, low: high_part | low))
    return [*found, *(of_contexts() if parameters.sidebands.flow_bits else [])]
