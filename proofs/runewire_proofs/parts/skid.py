"""Part `skid`: beats pass the skid buffer before a compact core's pipeline in order, none lost or twice."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib import stream
from runewire_model import TranscoderParameters
from runewire_rtl.input.skid import Skid

from ..faults import Mutant, said, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

BITS = 2
"""Bits of a beat before the pipeline, in its proof."""


def proof(parameters: TranscoderParameters) -> Proof:
    """Claim: beats are passed on as they were accepted, in order, none lost or repeated, each at once if possible.

    Beats have few bits. The skid buffer is the same in every compact core.
    """
    return Proof(
        "skid", INDUCTIVE, ["pdr"], against("skid", cut=_cut),
        [tied("a beat that waits is lost", "waits", 0), *rebuilt_mutants()])


def _cut() -> Cut:
    """The skid buffer alone, for beats of few bits."""
    ports = Ports()
    m = ports.m
    given, output = (stream.Signature(BITS).create() for _ in range(2))
    m.submodules.skid = made = Skid(given, output)
    m.d.comb += [
        given.valid.eq(ports.new("i_valid", 1)), given.payload.eq(ports.new("i_data", BITS)),
        made.advance.eq(ports.new("advance", 1)), made.open.eq(ports.new("open", 1)),
    ]
    ports.show("i_ready", given.ready)
    ports.show("o_valid", output.valid)
    ports.show("o_data", output.payload)
    return ports.cut(WIDTH=BITS)


def rebuilt_mutants() -> list[Mutant]:
    """Broken skid buffers that can be built into a complete core."""
    def hasty(m: Module, skid: Any) -> None:
        m.d.comb += skid.given.ready.eq(skid.open)

    def overtaken(m: Module, skid: Any) -> None:
        m.d.comb += Value.cast(skid.output.payload).eq(Value.cast(skid.given.payload))

    return [
        said("a beat is taken while another waits", Skid, hasty),
        said("the port's beat overtakes the one that waits", Skid, overtaken),
    ]
