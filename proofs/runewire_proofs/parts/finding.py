"""Part `finding`: the rows that each beat of a splitter ends, and where."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from amaranth.hdl import Cat
from amaranth.lib import data, stream
from runewire_model import TranscoderParameters
from runewire_rtl.input.input_stage import InputPort, Lookahead, accept_with_lookahead
from runewire_rtl.pipeline import Plan
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.splitting.finding import fields, find, number_bits

from ..faults import Mutant, always, forgetful, never, step
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: for each beat the finder says how many rows it ends, in which lanes, where their records begin, and
    whether the first of them is full; a beat before an empty last one is its packet's last.

    Beats are free, of any packets, at any time. Part `splitting` has these numbers as its input.
    """
    if not parameters.splits_bytes:
        return None
    return Proof("finding", INDUCTIVE, ["pdr"], against("finding", "beat_fields", "delay", cut=lambda: cut(parameters)),
                 mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The finder of a splitter up to its buffer, without sidebands. ``i_valid``, ``i_data``, ``i_keep``, ``i_last``: a
    beat that is taken. The ports from ``o_valid`` on: the beat, its marks and its fields, `DELAY` cycles after the
    cycle in which it leaves the lookahead register."""
    lanes = parameters.lanes
    sidebands = replace(parameters.sidebands, user=0, id=0, dest=0)
    ports = Ports()
    given: Any = stream.Signature(data.StructLayout(
        {"data": data.ArrayLayout(8, lanes), "keep": lanes, "last": 1})).create()
    payload = given.payload
    ports.m.d.comb += [
        given.valid.eq(ports.new("i_valid", 1)), given.ready.eq(1), payload.last.eq(ports.new("i_last", 1)),
        payload.keep.eq(ports.new("i_keep", lanes)), payload.data.as_value().eq(ports.new("i_data", 8 * lanes)),
    ]
    entry = accept_with_lookahead(
        InputPort(ports.m, given, Plan.of(parameters.pipeline), Restart.never()), Lookahead(0, merges=True))
    pipeline, beat = entry.pipeline, entry.data.beat()
    found = find(entry, sidebands)
    shown = {"valid": [pipeline.valid], "data": beat, "last": [pipeline.last],
             "marks": found.marks(number_bits(lanes)), **{name: [value] for name, value in found.fields.items()}}
    at = max(value.step for values in shown.values() for value in values)
    for name, values in shown.items():
        if name not in ("start", "end") or number_bits(lanes):
            ports.show(f"o_{name}", Cat(value.at(at) for value in values))
    return ports.cut(LANES=lanes, BITS=number_bits(lanes), ROWS=fields(lanes)["rows"],
                     KEEPS=int(sidebands.delimiter == "keep"), EMPTY=int(sidebands.empty == "keep"),
                     DELIMITER=int(sidebands.split or 0),
                     DELAY=entry.latency - entry.lookahead + pipeline.latency(at))


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Rows too many or too few, delimiters that are not seen."""
    found = [
        forgetful(),
        step("no delimiter is seen", "delimits_l0", never),
        step("no row is full", "full", never),
        step("the rest of a packet is no row", "rest", never),
        step("the packet's last record is another one", "tells", never),
    ]
    if parameters.lanes > 1 or parameters.sidebands.delimiter == "drop":
        # A beat of one lane that keeps delimiters ends one row at most.
        found.append(step("a beat ends one row at most", "one", always))
    return found
