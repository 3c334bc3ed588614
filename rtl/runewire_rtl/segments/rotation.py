"""Rotation: a packet's bytes moved up by the number of bytes that are carried into it.

Four lanes, two carried bytes E2 82, and the packet ``AC 41 42 43``, which has an extra beat:

    beat               AC 41 42 43    -
    bytes before it    00 E2 82       41 42 43
    sent               E2 82 AC 41    42 43

A beat waits until it is clear which of its bytes are sent: until the packet's last beat is one of those behind it, or
so many beats that no byte of it can be carried on.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NamedTuple

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from ..cut_points import cut_point
from ..pipeline import Broadcast, Timed
from .extra_beats import MOST
from .segment_beats import Beats, Options, in_bus_order


class Carried(NamedTuple):
    """A stream of segments, each with the bytes that the segment before left to it.

    ``stream``: the stream; nothing waits for its `ready`. ``accepted``: a beat was taken in the cycle before.
    ``latency``: cycles from a beat's transfer to the stream. ``lookahead``: beats that a beat waits for. ``dropped``:
    a beat of the input has no byte, and is left out.
    """

    stream: Any
    accepted: Signal
    latency: int
    lookahead: int
    dropped: Value


class Moves(NamedTuple):
    """Values of a packet's beats. ``history``: the three bytes before the packet, the last one lowest. ``into``: how
    many of them are carried. ``begun``: a byte of the text was sent before. ``order``: the same, and whether the text
    is little-endian. ``end``: for each byte from three before a
    packet's last beat to three after it, whether it is sent."""

    history: Timed
    into: Timed
    begun: Timed
    order: Timed
    end: Timed


Place = dict[str, Value]
"""A beat in the line, by the names of its parts."""

OF_BEAT = ("mark", "adds")
"""Flags of a beat, not of its packet: it is before a packet, and an added byte order mark."""


@cut_point
def rotate(beats: Beats, moves: Moves, output: Any, options: Options) -> Carried:
    """Send each beat with the carried bytes before it, and without those that are carried on."""
    pipe, size = beats.pipeline, beats.size
    share = min(size, pipe.policy.lanes)
    groups = range(0, size, share)
    sides = [beats.first, beats.extra, beats.final, *moves, *beats.beside.values()]
    after = max(value.step for value in sides)
    rotation = Broadcast("rotation", moves.into, size, after=after, tree=True)
    valid = Broadcast("rotation_valid", pipe.valid, size, after=after, tree=True)
    replicas = [(rotation[lane], valid[lane]) for lane in groups]
    step = max([after, *(value.step for pair in replicas for value in pair)])
    m, ahead = pipe.m, -(-(MOST + 1) // size)

    incoming: Place = {
        "first": beats.first.at(step), "last": beats.last.at(step), "extra": beats.extra.at(step),
        "final": beats.final.at(step), "begun": moves.begun.at(step), "order": moves.order.at(step),
        "end": moves.end.at(step), "history": moves.history.at(step),
        **{name: value.at(step) for name, value in beats.beside.items()},
        **{f"rotation{lane}": pair[0].at(step) for lane, pair in zip(groups, replicas, strict=True)},
        **{f"data{lane}": beats.data.at(step)[8 * lane : 8 * (lane + share)] for lane in groups}}
    line = _Line(m, incoming, pipe.valid.at(step), ahead, {
        f"{name}{lane}": pair[1].at(step) for lane, pair in zip(groups, replicas, strict=True)
        for name in ("rotation", "data")})
    held = line.places[-1]
    data = Cat(held[f"data{lane}"] for lane in groups)
    earlier = Signal(8 * MOST, name="earlier", reset_less=True)
    loaded = line.places[-2] if ahead > 1 else incoming
    history = Cat(loaded["history"].word_select(place, 8) for place in reversed(range(MOST)))
    with m.If(line.loads):
        m.d.sync += earlier.eq(Mux(loaded["first"], history, Cat(earlier, data)[-8 * MOST :]))
    window = Cat(earlier, data)
    sent = Cat(four_way(held[f"rotation{lane // share * share}"],
                        [window.word_select(lane + MOST - count, 8) for count in range(MOST + 1)])
               for lane in range(size))
    # The beat that left stays in the line's last place until the next one comes.
    over = Signal(MOST, name="sent_over", reset_less=True)
    with m.If(line.loads):
        m.d.sync += over.eq(Mux(held["extra"], over[size:], held["end"][MOST + size :]))

    ends = _Ends(held, [*reversed(line.places[:-1]), incoming], over, size)
    keep = [ends.sent(lane) for lane in range(size)]
    goes = held["first"] | keep[0] if options.drops else Const(1, 1)
    last = ~ends.sent(size) if options.drops else held["final"]
    if "mark" in held and options.drops:
        goes, last = Mux(held["mark"], held["adds"], goes), last & ~held["mark"]
    payload, dropped = output.payload, Signal(name="dropped", reset_less=True)
    unit_bits = 8 * size // len(payload.data)
    units = [sent.word_select(unit, unit_bits) for unit in range(len(payload.data))]
    m.d.comb += [
        output.valid.eq(line.leaves & goes), output.ready.eq(1), payload.keep.eq(Cat(keep)), payload.last.eq(last),
        Value.cast(payload.data).eq(in_bus_order(units, options.reads.byte_order)),
        *(payload[name].eq(held[name]) for name in ("begun", "order") if name in payload.shape().members),
        *(payload[name].eq(ends.of_last(name) if options.drops and name not in OF_BEAT else held[name])
          for name in beats.beside),
    ]
    m.d.sync += dropped.eq(line.leaves & ~goes)
    return Carried(output, beats.accepted, (pipe.enable is None) + pipe.latency(step) + ahead, ahead, dropped)


class _Line:
    """A line of waiting beats, as in `runewire_rtl.input.input_stage`. ``places``: the beats, the one that leaves next
    at the end. ``leaves``: that one leaves. ``loads``: a beat comes to the end."""

    def __init__(self, m: Module, incoming: Place, valid: Value, beats: int, enables: dict[str, Value]) -> None:
        """``enables``: replicas of ``valid`` for some parts; a line of one beat uses them."""
        ends = valid & (incoming["last"] | incoming["extra"])
        self.places: list[Place] = []
        before, comes, whole = incoming, valid, Const(0, 1)
        for number in range(1, beats + 1):
            there = Signal(name=f"place{number}_valid", reset_less=True)
            moves_on = Signal(name=f"place{number}_whole", reset_less=True)
            m.d.sync += moves_on.eq(ends | whole)
            leaves = moves_on | valid
            with m.If(leaves):
                m.d.sync += there.eq(comes)
            place = {name: Signal(len(value), name=f"place{number}_{name}", reset_less=True)
                     for name, value in before.items()}
            for name, value in place.items():
                with m.If(enables.get(name, comes) if beats == 1 else comes):
                    m.d.sync += value.eq(before[name])
            self.places.append(place)
            self.loads, self.leaves = comes, there & leaves
            before, comes, whole = place, there & leaves, moves_on


class _Ends:
    """Which bytes of the ``held`` beat are sent, by the place of its packet's last beat: it is this one, or one
    ``behind``, or the one before its extra beats."""

    def __init__(self, held: Place, behind: Sequence[Place], over: Value, size: int) -> None:
        self._held, self._behind, self._over, self._size = held, behind, over, size
        self._last: list[Value] = []
        none = ~(held["last"] | held["extra"])
        for place in behind:
            self._last.append(none & place["last"])
            none &= ~place["last"]
        self._none = none

    def sent(self, lane: int) -> Value:
        """Whether the byte of this lane is sent, or of a lane of the beats after it."""
        found = [self._none, self._held["last"] & self._at(self._held, lane)]
        if lane < MOST:
            found.append(self._held["extra"] & self._over[lane])
        found += [last & self._at(place, lane - self._size * distance)
                  for distance, (last, place) in enumerate(zip(self._last, self._behind, strict=True), 1)]
        return reduce(or_, found)

    def _at(self, place: Place, lane: int) -> Value:
        end = place["end"]
        return Const(1, 1) if lane < -MOST else end[lane + MOST] if lane + MOST < len(end) else Const(0, 1)

    def of_last(self, name: str) -> Value:
        """A value of the packet's last beat, or of the present one if that is not in the line."""
        value = self._held[name]
        for last, place in zip(self._last, self._behind, strict=True):
            value = Mux(last, place[name], value)
        return value


def four_way(choice: Value, values: Sequence[Value]) -> Value:
    """The value of this number."""
    low = [Mux(choice[0], values[place + 1], values[place]) for place in (0, 2)]
    return Mux(choice[1], low[1], low[0])
