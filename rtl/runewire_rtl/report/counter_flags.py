"""Flags of the counters: the bits of a beat that each counter counts, by the counter's name.

A decoder of two lanes takes the beat ``F0 9F`` and then ``98 80``, which end U+1F600:

    beat           F0 9F    98 80
    bytes          1  1     1  1
    code-points    0  0     0  1
    utf16-units    0  0     0  1     scalars
                   0  0     0  1     scalars above U+FFFF, which take one unit more

`tally` adds the flags of a packet's beats. Without a beat they may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from amaranth.hdl import Cat

from ..encodings.base import FrontEnd, Scalars
from ..encodings.bom_insertion import counted
from ..pipeline import Lanes, Timed, stage
from .record_flags import Records


class Countable(NamedTuple):
    """The parts of a core that counters read. ``text``, ``ill_formed``, ``records``: None where the core has no use
    for them."""

    front: FrontEnd
    text: Scalars | None
    ill_formed: Lanes | None
    records: Records | None


@dataclass(frozen=True)
class CounterFlags:
    """How the flags of a counter are made: as many for each lane as its entry in the model's registry says.

    ``needs_scalars``, ``needs_ill_formed``: the core has to make `Countable.text` or `Countable.ill_formed` for it.
    """

    make: Callable[[Countable], list[Timed]]
    needs_scalars: bool = False
    needs_ill_formed: bool = False


def _code_points(core: Countable) -> list[Timed]:
    """Lanes with a scalar, and the first lane of an added byte order mark's beat."""
    assert core.text is not None
    flags, mark = core.text.present.beat(), core.front.entry.mark
    return flags if mark is None else counted(mark, flags)


def _utf16_units(core: Countable) -> list[Timed]:
    """One flag for each scalar, and one more for each above U+FFFF."""
    assert core.text is not None
    return [*_code_points(core), *core.text.beyond_bmp().beat()]


def _replacements(core: Countable) -> list[Timed]:
    """Lanes in which an ill-formed subpart ends."""
    assert core.ill_formed is not None
    return core.ill_formed.beat()


def _octets(core: Countable) -> list[Timed]:
    """Kept bytes."""
    return [bit for value in core.front.entry.keep.beat() for bit in value.parts(1)]


def _ascii(core: Countable) -> list[Timed]:
    """Whole units below 80."""
    entry = core.front.entry
    return _below_80(core.front.units, entry.there if entry.keep[0].shape.width == 1 else entry.whole).beat()


@stage("ascii_flags")
def _below_80(units: Lanes, whole: Lanes) -> Lanes:
    """Units that are ASCII characters: whole ones without a bit above the lowest seven."""
    width, size = units[0].shape.width, units.pipeline.policy.lut_inputs
    if width - 7 < size:
        return Lanes.map("ascii", lambda whole, unit: whole & ~unit[7:].any(), whole, units)
    above = [Lanes.map(f"above_ascii{low}", lambda unit, low=low: unit[low : low + size].any(), units)
             for low in range(7, width, size)]
    while len(above) >= size:
        above = [Lanes.map(f"above_ascii_of{len(above)}_{first}", lambda *flags: Cat(flags).any(),
                           *above[first : first + size]) for first in range(0, len(above), size)]
    return Lanes.map("ascii", lambda whole, *above: whole & ~Cat(above).any(), whole, *above)


def _records(core: Countable) -> list[Timed]:
    """Bytes that end a record. With flows also a text's end that ends one."""
    assert core.records is not None
    return [*core.records.ends, *_of_tail(core.records, 0)]


def _bad_records(core: Countable) -> list[Timed]:
    """Bytes that end an ill-formed record. With flows also a text's end that ends one."""
    assert core.records is not None
    return [*core.records.bad, *_of_tail(core.records, 1)]


def _of_tail(records: Records, flag: int) -> list[Timed]:
    """A flag of a text's last record without delimiter, which has none in a lane."""
    return [] if records.tail is None else [records.tail.part(flag, 1)]


FLAGS = {
    "code-points": CounterFlags(_code_points, needs_scalars=True),
    "utf16-units": CounterFlags(_utf16_units, needs_scalars=True),
    "replacements": CounterFlags(_replacements, needs_ill_formed=True),
    "bytes": CounterFlags(_octets),
    "ascii": CounterFlags(_ascii),
    "records": CounterFlags(_records),
    "bad-records": CounterFlags(_bad_records),
}
"""How the flags of each counter are made."""
