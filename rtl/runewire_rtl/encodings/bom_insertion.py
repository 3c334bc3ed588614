"""Insertion of byte order marks: a beat with the mark alone precedes each packet.

Two lanes of UTF-8 to UTF-16, and the packet ``41 42 43``:

    cycle              0       1       2
    offered            41 42   41 42   43 -
    taken              -       yes     yes
    into the pipeline  mark    41 42   43 -
    units              FEFF -  41 42   43 -    as dense rows: FEFF 41, 42 43

A full beat has no free place for the mark, and packets without pauses leave no free row. So the mark takes one cycle of
the input. A mark at the beginning of the text is removed: the added one replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Const, Module, Signal, Value

from ..pipeline import Timed, stage
from ..pipeline.gates import replaced
from ..pipeline.restart import Restart, replica
from ..pipeline.stages import Stage, summary
from .base import Units


def precede(m: Module, packets: Any, stream: Any, restart: Restart) -> None:
    """Put a beat without units before each packet, while the packet's first beat is offered and waits."""
    m = Stage(m, "marks", summary(precede)).m
    begins = Signal(name="packet_begins", init=1, reset_less=True)
    given, payload = packets.payload, stream.payload
    m.d.comb += [
        stream.valid.eq(packets.valid), packets.ready.eq(stream.ready & ~begins),
        *(Value.cast(payload[name]).eq(given[name]) for name in given.shape().members if name != "last"),
        payload.last.eq(given.last & ~begins), payload.mark.eq(begins),
    ]
    with m.If(stream.valid & stream.ready):
        m.d.sync += begins.eq(given.last & ~begins)
    with m.If(replica(m, restart.clear, "packet_begins_clear")):
        m.d.sync += begins.eq(1)


@stage("mark_units")
def marked(flag: Timed, units: Units, mark: Sequence[int], lanes: int, slots: int) -> Units:
    """The units of beats of text, and of those that ``flag`` says the ``mark``, which ends with a lane.

    ``slots``: places of each of the ``lanes``. In a narrow core the mark may need more places per lane than the text;
    the text then uses the last ones.
    """
    units = _widened(flag, units, lanes, slots)
    first = -len(mark) % slots
    there = [_either(f"mark_there{place}", flags, flag) if 0 <= place - first < len(mark) else flags
             for place, flags in enumerate(units.present)]
    return Units(there, lambda after: _with_mark(flag, units.data(max(0, after - 1)), mark, first, after), units.unfit)


def _widened(flag: Timed, units: Units, lanes: int, slots: int) -> Units:
    """The same units in ``slots`` places per lane. The text never uses the additional places, the first of each
    lane."""
    own = len(units.present) // lanes
    if own == slots:
        return units
    never = Timed(flag.pipeline, 0, Const(0, 1), "never")

    def widened(values: Sequence[Timed], lane: int, unused: Timed) -> list[Timed]:
        return [*[unused] * (slots - own), *values[lane * own : (lane + 1) * own]]

    def data(after: int) -> list[Timed]:
        values = units.data(after)
        return [value for lane in range(lanes) for value in widened(values, lane, values[lane * own])]

    return Units([value for lane in range(lanes) for value in widened(units.present, lane, never)], data, units.unfit)


@stage("mark_units")
def _with_mark(flag: Timed, units: list[Timed], mark: Sequence[int], first: int, after: int) -> list[Timed]:
    """Units, known at step ``after`` or later, those from ``first`` on the mark's where ``flag`` is set."""
    marks = [
        unit.pipeline.step(f"mark_unit{place}", lambda unit, flag, value=value: replaced(unit, value, flag), unit, flag,
                           after=max(0, after - 1))
        for place, (unit, value) in enumerate(zip(units[first:], mark, strict=False), first)
    ]
    return [*units[:first], *marks, *units[first + len(mark) :]]


@stage("mark_units")
def counted(flag: Timed, flags: Sequence[Timed]) -> list[Timed]:
    """Flags of scalars, that of the mark among them."""
    return [_either("mark_counts", flags[0], flag), *flags[1:]]


def _either(name: str, flag: Timed, mark: Timed) -> Timed:
    return flag.pipeline.step(name, lambda flag, mark: flag | mark, flag, mark)
