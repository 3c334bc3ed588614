"""Part `turn_state`: the state that a turn of a record report leaves to the next turn of its flow."""

from __future__ import annotations

from amaranth.hdl import Cat, Const
from runewire_model import TranscoderParameters
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
from runewire_rtl.report.turn_state import TurnsOfFlows, TurnState
from runewire_rtl.segments.context import Forgetting, Uses

from ..faults import tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .contexts import MOST, of_contexts


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: before each turn a state of a record report has the value that the flow's last turn left, zero at first,
    for any flow that is watched. A turn that does not set it leaves it as it was.

    The new value is a free input. Beats of `2**MOST` flows have any number of turns, with any pauses.
    """
    sidebands = parameters.sidebands
    if sidebands.flows is None or not sidebands.record_report:
        return None
    # With a single flow the state is the register at the port.
    register, others = ("low", of_contexts()) if sidebands.flow_bits else ("before", [])
    return Proof("turn_state", INDUCTIVE, ["pdr"], against("turn_state", cut=lambda: cut(parameters)),
                 [tied("no turn leaves its state", register, 0), *others])


def cut(parameters: TranscoderParameters) -> Cut:
    """A state of two parts alone. ``turn``, ``begins``, ``ends``, ``flow``: a turn at step 0, whether it is its
    packet's first or last. ``valid``, ``of_flow``, ``before``: the turn at the state's step, with the parts' values;
    ``when``, ``after``: its free new ones."""
    bits = min(parameters.sidebands.flow_bits, MOST)
    ports = Ports()
    turn, begins, ends, flow = (ports.new(name, width) for name, width in (
        ("turn", 1), ("begins", 1), ("ends", 1), ("flow", max(1, bits))))
    pipe = Pipeline(ports.m, Plan.of(parameters.pipeline), BeatFlags(turn, Const(0)))
    takes, first, leaves, number = (pipe.enter(value, name) for name, value in (
        ("takes", turn), ("packet_begins", begins), ("flow_leaves", ends), ("flow", flow)))
    flows = TurnsOfFlows(Uses(first, takes, leaves, number if bits else None), Forgetting.never())
    state = TurnState(pipe, {"low": 1, "high": 1}, flows, takes)
    when, after = ports.new("when", 1), ports.new("after", 2)
    state.set(when, after[0], after[1])
    for name, value in (("valid", takes), ("of_flow", number)):
        ports.show(name, value.at(state.step))
    ports.show("before", Cat(state.now))
    return ports.cut(BITS=max(1, bits), MANY=int(bits > 0))
