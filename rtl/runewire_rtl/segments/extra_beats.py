"""Extra beats: room for carried bytes after a packet whose last beat may be too full for them.

Four lanes, and up to three carried bytes. The packet ``41 42 43`` needs an extra beat, as five or six bytes may leave:

    cycle              0          1          2
    offered            41 42 43   next       next
    taken              yes        -          yes
    extra              0          1          0
    final              0          1

The decision does not wait for the number of bytes that are carried, so `ready` stays a short path. A packet whose last
beat has lanes left takes no extra beat. A beat of fewer than four bytes is followed by as many as the carried bytes may
need.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from runewire_model.packet_beats import MOST_CARRIED

from ..cut_points import cut_point
from ..pipeline.restart import Restart, replica
from ..pipeline.stages import Stage, summary

MOST = MOST_CARRIED
"""Bytes that a segment leaves to the next at most."""


def extra_beats(size: int) -> int:
    """Extra beats of a packet at most, if a beat has ``size`` bytes."""
    return -(-MOST // size)


@cut_point
def follow(m: Module, packets: Any, stream: Any, restart: Restart) -> None:
    """Put beats without bytes after each packet, while the next packet's first beat waits."""
    m = Stage(m, "extra_beats", summary(follow)).m
    given, payload = packets.payload, stream.payload
    size = len(given.keep)
    most = extra_beats(size)
    left = Signal(most, name="extra_left", reset_less=True)
    needed = given.keep[size - MOST] if size > MOST else Const(1)
    m.d.comb += [
        stream.valid.eq(packets.valid | left[0]), packets.ready.eq(stream.ready & ~left[0]),
        *(Value.cast(payload[name]).eq(given[name]) for name in given.shape().members if name not in ("last", "mark")),
        *([payload.mark.eq(given.mark & ~left[0])] if "mark" in given.shape().members else []),
        payload.last.eq(given.last & ~left[0]), payload.extra.eq(left[0]),
        payload.final.eq(Mux(left[0], ~Cat(left[1:], 0).any(), given.last & ~needed)),
    ]
    with m.If(stream.valid & stream.ready):
        m.d.sync += left.eq(Mux(left[0], left[1:], (given.last & needed).replicate(most)))
    with m.If(replica(m, restart.clear, "extra_left_clear")):
        m.d.sync += left.eq(0)
