"""Byte line: the carry of a core that takes one byte a beat, with a single flow.

Bytes wait in three places. A packet's *end* is a beat of its own without a byte. It passes the bytes of an unfinished
sequence on its way in, so these belong to the next packet. Two segments, ``61 E2 82`` and ``AC``:

    cycle              0    1    2    3    4    5    6    7    8
    comes              61   E2   82   end  -    AC   end  -    -
    place 1                 61   E2   82   82   82   AC   end  -
    place 2                      61   E2   E2   E2   82   AC   end
    place 3                           61   end  -    E2   82   AC
    sent                              61   end       -    E2   82

No byte moves by more than one place, and nothing is rotated: with one flow the bytes are in the text's order.

Throughput: one beat per cycle, and one more for each packet. Bytes wait until three further ones come, or an end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from runewire_model.packet_beats import MOST_CARRIED
from runewire_model.report import Sidebands

from ..cut_points import cut_point
from ..input.input_stage import InputPort
from ..pipeline.gates import cleared
from ..pipeline.stages import Stage, summary
from .rotation import Carried


def pass_line(port: InputPort, output: Any, sidebands: Sidebands) -> Carried:
    """Put each packet's end before the bytes that its segment leaves to the next one."""
    m = Stage(port.m, "byte_line", summary(pass_line), port.enable).m
    stream, flush = port.stream, port.restart.flush
    payload, given = stream.payload, cleared(stream.payload.user, flush)
    # A packet's last beat waits for a cycle, in which the end comes.
    waits, again = Signal(name="last_waits"), Signal(name="last_again", reset_less=True)
    comes, ends = Signal(name="byte_comes"), Signal(name="end_comes")
    m.d.comb += [waits.eq(stream.valid & payload.last & ~again), stream.ready.eq(~waits),
                 comes.eq(stream.valid & payload.keep & ~again), ends.eq(again | flush)]
    m.d.sync += again.eq(waits)
    more = given[sidebands.user]

    places = range(MOST_CARRIED)
    data, byte, end, user = (
        [Signal(width, name=f"{name}{place + 1}", reset_less=True) for place in places]
        for name, width in (("data", 8), ("byte", 1), ("end", 1), ("user", len(given))))
    holds = [more & flag for flag in unfinished(data, byte)]
    # Whether the item at each place moves on, or the place is free.
    moves = [Signal(name=f"moves{place + 1}") for place in places]
    for place in places:
        m.d.comb += moves[place].eq(Mux(ends, ~holds[place], comes | Cat(end[: place + 1]).any()))
    before: list[tuple[Value, Value, Value, Value, Value]] = [
        (comes, Value.cast(payload.data), Const(1, 1), Const(0, 1), given),
        *zip(moves, data, byte, end, user, strict=True),
    ]
    for place, (moved, *item) in zip(places, before, strict=False):
        with m.If(moves[place]):
            m.d.sync += [data[place].eq(item[0]), byte[place].eq(item[1] & moved),
                         end[place].eq(Mux(moved, item[2], ends)), user[place].eq(Mux(moved, item[3], given))]
    passes, sent = ends & holds[-1], output.payload
    m.d.comb += [
        output.valid.eq(passes | (moves[-1] & (byte[-1] | end[-1]))), output.ready.eq(1),
        Value.cast(sent.data).eq(data[-1]), sent.keep.eq(byte[-1] & ~passes), sent.last.eq(end[-1] | passes),
        sent.user.eq(Mux(passes, given, user[-1])),
    ]
    if "begun" in sent.shape().members:
        begun, some = (Signal(name=name, reset_less=True) for name in ("begun", "some_sent"))
        m.d.comb += sent.begun.eq(begun)
        with m.If(output.valid):
            m.d.sync += some.eq(sent.keep)
            with m.If(sent.last):
                m.d.sync += begun.eq(sent.user[sidebands.user] & (begun | some))
    return Carried(output, port.stream.valid, 1 + MOST_CARRIED, MOST_CARRIED, Const(0))


@cut_point
def unfinished(data: Sequence[Value], byte: Sequence[Value]) -> list[Value]:
    """Whether each of the last three bytes belongs to a sequence that announces more bytes than follow. ``byte``: the
    byte is there."""
    there = [Cat(value, flag) for value, flag in zip(data, byte, strict=True)]
    tail = [value[6:] == 0b110 for value in there]
    lead = there[0][6:].all() & ~there[0][3:6].all()
    longer = there[1][5:].all() & ~there[1][3:5].all()
    longest = there[2][4:].all() & ~there[2][3]
    three = tail[0] & tail[1] & longest
    two = (tail[0] & longer) | three
    return [lead | two, two, three]
