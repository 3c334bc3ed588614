"""Record flags of a text that becomes another one: they leave with what the delimiters become.

Four lanes of UTF-8 to UTF-16, the delimiter 0A, and the packet ``41 0A E2 82`` ``0A 42``:

    lane             0    1    2    3         0    1    2    3
    byte             41   0A   E2   82        0A   42   -    -
    delimiter        0    1    0    0         1    0    0    0
    item             41   0A   -    FFFD      0A   42   -    -
    its flags        0    1    -    0         3    0    -    -
    tail             -                        1, well-formed       the packet's last record has no delimiter

A delimiter is an ASCII character, so it becomes one unit, in the last place of its lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import Cat, Const, Signal

from ..encodings.base import Units
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import cleared
from ..splitting.trees import any_of
from .record_flags import Records


@dataclass(frozen=True)
class MovedFlags:
    """``lanes``: for each lane, whether it is a delimiter, and whether it ends an ill-formed record. ``tail``: two
    bits, zero except on a packet's last beat: its last record has no delimiter, and is ill-formed."""

    lanes: Sequence[tuple[Timed, Timed]]
    tail: Timed

    def on(self, units: Units) -> Units:
        """The units, each with its two flags above."""
        slots = len(units.present) // len(self.lanes)

        def data(after: int) -> list[Timed]:
            return [self._flagged(unit, place // slots, last=place % slots == slots - 1)
                    for place, unit in enumerate(units.data(after))]

        return Units(units.present, data, units.unfit)

    def _flagged(self, unit: Timed, lane: int, *, last: bool) -> Timed:
        flags = self.lanes[lane] if last else ()
        step = max(value.step for value in (unit, *flags))
        above = [flag.at(step) for flag in flags] or [Const(0, 2)]
        return Timed(unit.pipeline, step, Cat(unit.at(step), *above), f"{unit.name}_flagged")


@stage("moved_flags")
def move_flags(pipeline: Pipeline, records: Records) -> MovedFlags:
    """Record flags of the delimiters, and of a last record without one."""
    lanes = range(len(records.ends))
    if records.tail is not None:
        return MovedFlags([*zip(records.ends, records.bad, strict=True)], records.tail)
    found, opened = [], []
    for lane in lanes:
        ends = pipeline.step(f"delimited_l{lane}", lambda *flags: Cat(flags).all(), *records.delimiters[lane])
        found.append((ends, pipeline.step(f"moved_bad_l{lane}", lambda bad, ends: bad & ends, records.bad[lane], ends)))
        opened.append(pipeline.step(f"open_l{lane}", lambda final, *flags: final & ~Cat(flags).all(),
                                    records.final[lane], *records.delimiters[lane]))
    bad = [pipeline.step(f"open_bad_l{lane}", lambda opened, bad: opened & bad, opened[lane], records.bad[lane])
           for lane in lanes]
    tail = [_at_last(pipeline, name, any_of(pipeline, f"any_{name}", flags))
            for name, flags in (("tail", opened), ("tail_bad", bad))]
    step = max(flag.step for flag in tail)
    return MovedFlags(found, Timed(pipeline, step, Cat(flag.at(step) for flag in tail), "tails"))


def _at_last(pipeline: Pipeline, name: str, flag: Timed) -> Timed:
    """A flag of a packet's beats on its last one: an empty beat may follow the one with the packet's last byte."""
    step = pipeline.state_step(flag.step)
    held = Signal(name=f"{name}_held", reset_less=True)
    with pipeline.m.If(pipeline.valid.at(step)):
        pipeline.m.d.sync += held.eq(cleared(flag.at(step) | held, pipeline.last.at(step)))
    return pipeline.step(name, lambda flag, held, last: (flag | held) & last, flag,
                         Timed(pipeline, step, held, f"{name}_held"), pipeline.last)
