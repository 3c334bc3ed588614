"""Part `output_skid`: rows pass the skid buffer behind a wide core's output buffer in order, none lost or twice."""

from __future__ import annotations

from functools import partial
from typing import Any

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import data, stream
from runewire_model import TranscoderParameters
from runewire_model.packet_beats import has_output_skid
from runewire_rtl.buffer.output_skid import OutputSkid
from runewire_rtl.pipeline.layout_policy import POLICIES, Policy

from ..faults import Mutant, said, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

LANES, GROUPED = 3, 2
"""Lanes of the rows, and how many of them share a read controller: a full group and a partial one."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: rows are output as they left the output buffer, in order, none lost or repeated, each at once if possible.
    Each read controller sees the same `ready`.

    Rows have few lanes of one bit. The skid buffer is otherwise the same in every core that has one.
    """
    if not has_output_skid(parameters):
        return None
    policy = POLICIES[parameters.family]
    return Proof("output_skid", INDUCTIVE, ["pdr"], against("output_skid", cut=partial(_cut, policy)), _mutants(policy))


def _cut(policy: Policy) -> Cut:
    """The skid buffer alone, for rows of few bits."""
    ports = Ports()
    m = ports.m
    given, output = (stream.Signature(data.StructLayout({
        "data": data.ArrayLayout(1, LANES), "keep": LANES, "last": 1, "report": data.StructLayout({"error": 1}),
        "marks": LANES})).create(path=(name,)) for name in ("given", "output"))
    m.submodules.skid = made = OutputSkid(given, output, GROUPED, Const(0), policy)
    bits = len(Value.cast(given.payload))
    valid, row = ports.new("valid", 1), ports.new("row", bits)
    m.d.comb += [
        *(offer.eq(valid) for offer in made.offers), Value.cast(given.payload).eq(row),
        output.ready.eq(ports.new("ready", 1)),
    ]
    ports.show("free", Cat(made.ready))
    ports.show("offer", made.offer)
    ports.show("beat", Value.cast(output.payload))
    return ports.cut(READERS=made.readers, ROW=bits)


def _mutants(policy: Policy) -> list[Mutant]:
    """Broken skid buffers."""
    flag = "passes" if policy.true_enables else "waits"

    def hasty(m: Module, skid: Any) -> None:
        m.d.comb += skid.ready[1].eq(1)

    def overtaken(m: Module, skid: Any) -> None:
        m.d.comb += skid.output.payload.data[2].eq(skid.given.payload.data[2])

    return [
        tied("the last bit of a row that waits is lost", f"skid.{flag}0", int(policy.true_enables)),
        tied("the lanes of a row that waits are lost", f"skid.{flag}1", int(policy.true_enables)),
        said("a read controller continues while a row waits", OutputSkid, hasty),
        said("an item overtakes the one that waits", OutputSkid, overtaken),
    ]
