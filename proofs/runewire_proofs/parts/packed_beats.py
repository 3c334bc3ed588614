"""Part `packed_beats`: the beats of a packer on their way to a core with flows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from amaranth.hdl import Const, Module, Value
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_byte_line, has_skid
from runewire_rtl.compact import Compact
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.segments import extra_beats
from runewire_rtl.segments.extra_beats import MOST
from runewire_rtl.transcoder import Transcoder

from ..faults import Mutant, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against
from .connection import beat_fields, wired
from .skid import rebuilt_mutants


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: each beat of the packer is taken once, in order, with its bytes in their units, its flow and its *more*.
    After a packet whose last beat may be too full for three more bytes come the beats that these may need. With added
    byte order marks a beat precedes each packet. The packer's `ready` is a register, except in a compact core.

    The packer's beats are free, and so is the time at which one is taken.
    """
    if parameters.sidebands.flows is None or parameters.packer is None or has_byte_line(parameters):
        return None
    return Proof("packed_beats", INDUCTIVE, ["pdr"], against("packed_beats", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """From the packer's output to the beats that are taken. ``i_…``, ``o_…``: a beat before and after. Flow and *more*
    have one bit each."""
    reads = parameters.reads
    few = replace(parameters, sidebands=replace(parameters.sidebands, user=0, id=1, dest=0, flows=2))
    core = (Compact if parameters.pipeline == "compact" else Transcoder)(few)
    packer, ports = core.packer, Ports()
    assert packer is not None
    for name, value in {"valid": packer.o.valid, **beat_fields(packer.o, True)}.items():
        ports.m.d.comb += value.eq(ports.new(f"i_{name}", len(value)))
    ports.m.d.comb += core.taken.ready.eq(ports.new("o_ready", 1))
    ports.show("i_ready", packer.o.ready)

    def last_described(sound: Callable[..., None]) -> Callable[..., None]:
        def follow(m: Module, packets: Any, stream: Any, restart: Restart) -> None:
            sound(m, packets, stream, restart)
            raise _Described
        return follow

    with extra_beats.follow.replaced(last_described):
        try:
            core.cut_open(ports.m)
        except _Described:
            core.lead_through(ports.m, packer)
    payload = core.taken.payload
    ports.show("o_valid", core.taken.valid)
    for name in ("data", "keep", "last", "user", "id", "extra", "final", "mark"):
        ports.show(f"o_{name}", Value.cast(payload[name]) if name in payload.shape().members else Const(0, 1))
    return ports.cut(LANES=parameters.lanes, UNIT=reads.unit_bytes, BIG=int(reads.byte_order == "big"),
                     MARKS=int(bool(parameters.mark)), SKID=int(has_skid(parameters)), MOST=MOST)


class _Described(Exception):
    """The core is described up to the beats that are taken."""


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Beats that are lost or come twice, and what goes past the packer."""
    found = [
        tied("no beat follows a packet", "extra_left", 0),
        wired("more is that of the beat at the input",
              lambda core, packer: core.packed.payload.user.eq(core.i.payload.user)),
        wired("the flow is that of the beat at the input",
              lambda core, packer: core.packed.payload.id.eq(core.i.payload.id)),
        wired("the packer's output waits for nothing", lambda core, packer: packer.o.ready.eq(1)),
    ]
    if parameters.mark:
        found.append(tied("no beat precedes a packet", "packet_begins", 0))
    if has_skid(parameters):
        found += [tied("a beat that waits is lost", "waits", 0), *rebuilt_mutants()]
    return found
