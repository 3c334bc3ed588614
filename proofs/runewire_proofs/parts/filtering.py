"""Part `filtering`: each row of a record reaches one output of a filter's record buffer, or both, in order."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Const, Fragment, Module, Signal, Value
from amaranth.lib import data, stream
from runewire_model import TranscoderParameters
from runewire_model.report import Sidebands
from runewire_rtl.filtering import record_buffer
from runewire_rtl.filtering.record_buffer import RecordBuffer
from runewire_rtl.pipeline.restart import Restart

from ..faults import Mutant, changed, tied
from ..ports import Cut, Ports
from ..proof import INDUCTIVE, Proof, against

ROWS = 2
"""Rows of the buffer, and of the longest record that stays: more only make the memory longer."""
RECORDS = 2
"""Rows of the memories of judgements."""
COUNT = 2
"""Bits of a record's number, and of the number of rejected records: packets have more records."""
FLAGS = 3
"""A zero, whether the record ends its packet, whether that has no byte."""


def proof(parameters: TranscoderParameters) -> Proof | None:
    """Claim: each row that is taken is sent once, in order. A row of a record that stays goes to the good output, one
    of a rejected record to the rejects; a packet's end goes to the good output in any case. Nothing else is sent. A
    record is rejected if it has an error, or more rows than the buffer. Its report, its number and the number of a
    packet's rejected records are right.

    Rows are free, of two bits a lane; so is the time at which the outputs have room. The buffer has few rows, and no
    tags.
    """
    if not parameters.sidebands.rejects:
        return None
    return Proof("filtering", INDUCTIVE, ["pdr"], against("filtering", cut=lambda: cut(parameters)), mutants())


def cut(parameters: TranscoderParameters) -> Cut:
    """The record buffer without the packer and the queue after it. ``behind``: these have room. ``good_push`` and
    ``rejects_push``: a row is sent, in ``good_row`` or ``rejects_row``. ``ends``, ``packet_ends`` and ``reject``: the
    row that is sent in the next cycle ends a record, ends a packet, belongs to a rejected record."""
    lanes = parameters.lanes
    ports = Ports()
    m = ports.m
    row = {"data": data.ArrayLayout(2, lanes), "keep": lanes, "last": 1}
    told = {"kind": 1, "offset": 1}
    rows = stream.Signature(data.StructLayout(
        {**row, "report": data.StructLayout({"error": 1, **told, "user": FLAGS})})).create()
    good = stream.Signature(data.StructLayout({**row, "user": COUNT})).create()
    rejects = stream.Signature(data.StructLayout(
        {**row, "report": data.StructLayout({**told, "record": COUNT, "long": 1})})).create()
    sidebands = Sidebands("none", filter=0x0A, longest=ROWS * lanes, rejects=True)
    behind = ports.new("behind", 1)
    made = RecordBuffer(rows, good, behind, rejects, sidebands, Restart.never(), Const(1))
    made.depth, made.records, made.count_width = ROWS, RECORDS, COUNT
    m.d.comb += [
        rows.valid.eq(ports.new("valid", 1)),
        Value.cast(rows.payload).eq(ports.new("row", len(Value.cast(rows.payload)))),
    ]
    for name, value in (("ready", rows.ready), ("good_push", good.valid), ("good_row", Value.cast(good.payload))):
        ports.show(name, value)

    def queue(buffer: RecordBuffer, inside: Module, row: Value, push: Value) -> Any:
        for what, value in (("push", push), ("row", row)):
            port = ports.new(f"rejects_{what}", len(value))
            inside.d.comb += port.eq(value)
        return SimpleNamespace(head=Const(0, len(row)), pop=Signal(), valid=Const(0), room=behind)

    def flags(sound: Callable[..., Value]) -> Callable[..., Value]:
        def to_good(reject: Value, ends: Value, packet_ends: Value) -> Value:
            for name, value in (("reject", reject), ("ends", ends), ("packet_ends", packet_ends)):
                ports.show(name, value)
            return sound(reject, ends, packet_ends)
        return to_good

    with RecordBuffer.queue.replaced(lambda _: queue), record_buffer.to_good.replaced(flags):
        m.submodules.buffer = Fragment.get(made, None)
    return ports.cut(LANES=lanes, ROWS=ROWS, COUNT=COUNT)


def mutants() -> list[Mutant]:
    """Records that are lost, or that reach the wrong output, and wrong numbers."""
    return [
        changed("an ill-formed record stays", record_buffer.rejected, lambda sound: lambda fills, wrong: fills),
        changed("a record that is too long stays", record_buffer.rejected, lambda sound: lambda fills, wrong: wrong),
        changed("the end of a packet is rejected with its last record", record_buffer.to_good,
                lambda sound: lambda reject, ends, packet_ends: sound(reject, ends, packet_ends & 0)),
        tied("rows are overwritten", "buffer.store.room", 1),
        tied("all records have the first one's judgement", "buffer.judgements.read__addr", 0),
        tied("rejected records are not counted", "buffer.rejected_more", 0),
        tied("records are not numbered", "buffer.record", 0),
        tied("no row is ever judged", "buffer.store.judges_late", 0),
    ]
