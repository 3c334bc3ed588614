"""Part `extra_beats`: the beats that a core puts before and after each segment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from amaranth.hdl import Const, Value
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_byte_line
from runewire_rtl.encodings.bom_insertion import precede
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.segments import extra_beats
from runewire_rtl.segments.extra_beats import MOST
from runewire_rtl.stream_shapes import input_beat

from ..faults import tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

GIVEN = ("data", "keep", "last", "user", "id")
"""The parts of a beat at the port."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: after a packet whose last beat may be too full for three more bytes come the beats that these may need.
    With added byte order marks a beat precedes each packet. All other beats pass unchanged, in order, none lost or
    twice, each at once if it is taken.

    Beats are free, and so is the time at which one is taken.
    """
    if parameters.sidebands.flows is None or has_byte_line(parameters):
        return None
    found = [tied("no beat follows a packet", "extra_left", 0),
             tied("the beats after a packet never end", "extra_left", 1)]
    if parameters.mark:
        found.append(tied("no beat precedes a packet", "packet_begins", 0))
    return Proof("extra_beats", INDUCTIVE, ["pdr"], against("extra_beats", cut=lambda: cut(parameters)), found)


def cut(parameters: TranscoderParameters) -> Cut:
    """From the beats at the port to those that are taken. ``i_…``, ``o_…``: a beat before and after."""
    few = replace(parameters.sidebands, user=0, id=1, dest=0, flows=2)
    lanes, unit = parameters.lanes, parameters.reads.unit_bytes
    marks = bool(parameters.mark)
    ports = Ports()
    m = ports.m
    packets: Any = input_beat(lanes, unit, few).create(path=("given",))
    taken: Any = input_beat(lanes, unit, few, marks=marks, flags={"extra": 1, "final": 1}).create(path=("taken",))
    m.d.comb += [
        packets.valid.eq(ports.new("i_valid", 1)), taken.ready.eq(ports.new("o_ready", 1)),
        *(Value.cast(packets.payload[name]).eq(ports.new(f"i_{name}", len(Value.cast(packets.payload[name]))))
          for name in GIVEN)]
    ports.show("i_ready", packets.ready)
    if marks:
        preceded: Any = input_beat(lanes, unit, few, marks=True).create(path=("preceded",))
        precede(m, packets, preceded, Restart.never())
        packets = preceded
    extra_beats.follow(m, packets, taken, Restart.never())
    ports.show("o_valid", taken.valid)
    for name in (*GIVEN, "extra", "final"):
        ports.show(f"o_{name}", taken.payload[name])
    ports.show("o_mark", taken.payload.mark if marks else Const(0, 1))
    return ports.cut(SIZE=lanes * unit, MARKS=int(marks), MOST=MOST)
