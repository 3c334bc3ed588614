"""Part `contexts`: the state that a packet leaves to its flow's next packet, whatever other packets come between."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Mux, Signal
from runewire_model import TranscoderParameters
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
from runewire_rtl.segments import context
from runewire_rtl.segments.context import Context, Forgetting, Uses

from ..faults import Mutant, changed
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

WIDTH = 2
"""Bits of the proven state: a context moves them, and looks at none."""
MOST = 2
"""Bits of a flow's number in the proof, at most: more only make the memory longer."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: before each beat a context has the state that the flow's last beat left, zero at first, for any flow that
    is watched.

    The new state is a free input. Two contexts: one changes with every beat, the other with a packet's last. The
    packets of `2**MOST` flows come in any order, with any beats and pauses. Between packets there are beats of any
    flow, which leave the state as it was: beats for marks, and extra beats.
    """
    if not parameters.sidebands.flow_bits:
        return None
    return Proof("contexts", INDUCTIVE, ["pdr"], against("contexts", cut=lambda: cut(parameters)), of_contexts())


def cut(parameters: TranscoderParameters) -> Cut:
    """Two contexts alone. ``go``, ``go_last``, ``go_flow``: a beat at step 0. ``first``: it is its packet's first.
    ``go_between``: it is in no packet. With the prefix ``of_beats`` and ``of_packets``: the beat at the context's step,
    its state before, its free state after."""
    bits = min(parameters.sidebands.flow_bits, MOST)
    ports = Ports()
    go, last, flow, first, between = (ports.new(name, width) for name, width in (
        ("go", 1), ("go_last", 1), ("go_flow", bits), ("first", 1), ("go_between", 1)))
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(go, last))
    number = pipe.enter(flow, "flow")
    begins = pipe.enter(first, "first")
    leaves = pipe.enter(between, "between")
    for name, counts, start in (("of_beats", pipe.valid, begins), ("of_packets", pipe.last, None)):
        uses = Uses(start, counts, pipe.last, number)
        made = Context(pipe, name, WIDTH, uses, 2, Forgetting.never())
        after: Signal = ports.new(f"{name}_after", WIDTH)
        made.set(Mux(leaves.at(made.step), made.before.at(made.step), after))
        for what, value in (("valid", pipe.valid), ("between", leaves), ("last", pipe.last), ("flow", number),
                            ("before", made.before)):
            ports.show(f"{name}_{what}", value.at(made.step))
    return ports.cut(BITS=bits, WIDTH=WIDTH)


def of_contexts() -> list[Mutant]:
    """Contexts that give the state of another packet."""
    def sooner(sound: Any) -> Any:
        return lambda *operands: sound(*operands) & 0

    def any_flow(sound: Any) -> Any:
        return lambda flow, other, ends: ends

    return [
        changed("a packet in the next cycle uses the memory", context.continues, sooner),
        changed("a packet two or three cycles later uses the memory", context.on_its_way, sooner),
        changed("the state of the flow before is used", context.continues, any_flow),
        changed("the state on its way is that of any flow", context.on_its_way, any_flow),
    ]
