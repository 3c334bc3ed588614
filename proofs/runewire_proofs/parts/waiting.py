"""Part `waiting`: no register of a compact core's pipeline changes while it waits."""

from __future__ import annotations

from amaranth.hdl import Cat, Fragment, Module, Signal, Value
from runewire_model import TranscoderParameters
from runewire_rtl.compact import Compact
from runewire_rtl.pipeline.stages import enable_of

from ..faults import Mutant, changed, said
from ..ports import Cut, Ports, registers
from ..proof import INDUCTIVE, Proof, against

AROUND = frozenset({"drain", "skid", "row", "marks", "report_port"})
"""Modules of a compact core whose registers the global stall does not stop."""

NOT_HELD = "whether a beat passes is not held"
"""Title of the fault in the register `beats`."""


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: in a stall no register of the pipeline changes, and ``valid`` stays high until the handshake."""
    # A packer has no register `beats`.
    faults = [fault for fault in mutants() if not (parameters.packs_bytes and fault.title == NOT_HELD)]
    return Proof("waiting", INDUCTIVE, ["pdr"], against("waiting", cut=lambda: _cut(parameters)), faults)


def _cut(parameters: TranscoderParameters) -> Cut:
    """A complete compact core. ``moved``: a register of its pipeline changed in a cycle in which it was to wait.
    ``changed``: the core no longer offers what it offered a cycle ago, and nobody took."""
    ports = Ports()
    m = ports.m
    core = Compact(parameters)
    whole = Fragment.get(core, None)
    taken, offered = core.i, core.o
    payload = taken.payload
    m.submodules.core = whole
    m.d.comb += [
        taken.valid.eq(ports.new("i_valid", 1)), payload.last.eq(ports.new("i_last", 1)),
        Cat(Value.cast(payload[name]) for name in payload.shape().members if name != "last").eq(
            ports.new("i_rest", len(Value.cast(payload)) - 1)),
        offered.ready.eq(ports.new("o_ready", 1)),
    ]
    if parameters.sidebands.report_port != "none":
        m.d.comb += core.report.ready.eq(ports.new("report_ready", 1))
    now = Cat(register for inside, name, _ in whole.subfragments if name not in AROUND
              for _, register in registers(inside))
    before, waited, begun = Signal(len(now), name="before"), Signal(name="waited"), Signal(name="begun")
    assert core.advance is not None
    offer = offered.payload.as_value()
    shown, left = Signal(len(offer), name="shown"), Signal(name="left")
    m.d.sync += [before.eq(now), waited.eq(~core.advance), begun.eq(1), shown.eq(offer),
                 left.eq(offered.valid & ~offered.ready)]
    ports.show("changed", left & ~(offered.valid & (shown == offer)))
    ports.show("moved", begun & waited & (before != now))
    return ports.cut(REST=len(ports.signals["i_rest"]))


def mutants() -> list[Mutant]:
    """Pipelines with a register that a stall does not stop."""
    def hasty(m: Module, core: Compact) -> None:
        assert isinstance(core.advance, Signal)
        m.d.comb += core.advance.eq(1)

    return [
        changed(NOT_HELD, enable_of,
                 lambda sound: lambda name, enable: sound(name, None if name == "beats" else enable)),
        said("the pipeline waits for nothing", Compact, hasty),
    ]
