"""Part `splitting`: the rows of each beat, one a turn, moved to lane 0: all bytes of all records, in order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data, stream
from runewire_model import TranscoderParameters
from runewire_rtl.pipeline import Plan, Timed
from runewire_rtl.pipeline.layout_policy import TUNED
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.splitting import aligning
from runewire_rtl.splitting.aligning import align, enter
from runewire_rtl.splitting.finding import FIRST_FIELDS, fields, number_bits
from runewire_rtl.splitting.turns import Turns

from ..faults import Mutant, always, changed, never, step, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

LONGEST = 2
"""Rows after which a record is cut in the proof, if the core cuts at all."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: the rows are the bytes of the packets' records, each byte once, in order. A row has as many bytes as
    lanes, except its record's last, which has ``last``. With a dropped delimiter the rows have all other bytes. A
    record that is cut has ``cut`` in the last row of each piece.

    Beats are free, and so is the time at which a row may be sent. The finder's numbers of each
    beat are right for its bytes.
    """
    if not parameters.splits_bytes:
        return None
    against_spec = against("splitting", "beat_fields", "delay", cut=lambda: cut(parameters))
    return Proof("splitting", INDUCTIVE, ["pdr"], against_spec, mutants(parameters))


def cut(parameters: TranscoderParameters) -> Cut:
    """The turns, and what is behind them up to the buffer. ``row_valid`` and the ports from ``data`` on: the beat, with
    the fields of `finding.fields`; ``coming``: the first fields of the beat that is shown next. ``takes``, ``has_row``
    and ``ends`` belong to the present turn; ``o_valid``, ``o_last``, ``o_keep``, ``o_data`` and ``o_cut`` to the turn
    `DELAY` cycles before."""
    lanes, sidebands = parameters.lanes, parameters.sidebands
    longest = None if sidebands.longest is None else LONGEST * lanes
    sidebands = replace(sidebands, user=0, id=0, dest=0, longest=longest)
    ports = Ports()
    m = ports.m
    beat = fields(lanes)
    row: Any = stream.Signature(data.StructLayout({
        "data": data.ArrayLayout(8, lanes), "keep": lanes, "last": 1, "report": data.StructLayout(beat),
        "marks": (2 + number_bits(lanes)) * lanes,
    })).create()
    coming = Signal(data.StructLayout({name: beat[name] for name in FIRST_FIELDS}))
    m.d.comb += [
        row.valid.eq(ports.new("row_valid", 1)), Value.cast(row.payload.data).eq(ports.new("data", 8 * lanes)),
        row.payload.marks.eq(ports.new("marks", len(row.payload.marks))),
        *(row.payload.report[name].eq(ports.new(name, width)) for name, width in beat.items() if width),
        *(coming[name].eq(ports.new(f"coming_{name}", beat[name])) for name in FIRST_FIELDS),
    ]
    turns = Turns(m, row, coming, ports.new("go", 1))
    turn = enter(m, row, turns, Plan.of(parameters.pipeline), Restart.never(), TUNED)
    made = align(turn, sidebands)
    pipeline = turn.pipeline
    report = Timed(pipeline, 0, Const(0, 1), "no_report") if made.report is None else made.report
    shown = {"o_valid": [pipeline.valid], "o_last": [pipeline.last], "o_keep": made.keep, "o_data": made.data,
             "o_cut": [report]}
    at = max(value.step for values in shown.values() for value in values)
    for name, values in shown.items():
        ports.show(name, Cat(value.at(at) for value in values))
    for name, value in (("takes", turns.takes), ("has_row", turns.has_row), ("ends", turns.ends), ("ready", row.ready)):
        ports.show(name, value)
    return ports.cut(LANES=lanes, BITS=number_bits(lanes), ROWS=beat["rows"], KEEPS=int(sidebands.delimiter == "keep"),
                     EMPTY=int(sidebands.empty == "keep"), LONGEST=0 if longest is None else LONGEST,
                     DELIMITER=int(sidebands.split or 0), DELAY=1 + pipeline.latency(at))


def mutants(parameters: TranscoderParameters) -> list[Mutant]:
    """Bytes that are lost, repeated or moved elsewhere, and rows of another length."""
    lanes, sidebands = parameters.lanes, parameters.sidebands
    found = [
        changed("no row is its record's last", aligning.last_of, lambda sound: lambda goes_on: sound(goes_on) & 0),
        changed("each row is its record's last", aligning.last_of, lambda sound: lambda goes_on: ~(goes_on & 0)),
    ]
    if lanes > 1 or sidebands.delimiter == "drop":
        # One lane that keeps delimiters has full rows alone, one for each beat.
        found.append(tied("a beat leaves after its first row", "final_turn", 1))
    if lanes > 1 or (sidebands.delimiter == "drop" and sidebands.empty == "keep"):
        # A row of one lane has a byte, if empty records are dropped.
        found.append(step("all rows are full", "whole", always))
    if lanes > 1:
        found += [
            step("a beat's bytes come a lane too early", "moved1_l0", lambda sound: lambda far, near, away: near),
            step("the bytes from the beat before are those of this beat", "chosen_l1",
                 lambda sound: lambda now, then, before, low: now),
            step("no row begins in the beat before", "before", never),
        ]
    if sidebands.longest is not None:
        found.append(step("no record is cut", "cut", never))
    return found
