"""Back end shared by the encodings whose bytes are code points (ASCII, Latin-1)."""

from __future__ import annotations

from amaranth.hdl import Cat, Value
from runewire_model.scalars import NARROW_REPLACEMENT

from ..pipeline import Lanes, stage
from .base import SCALAR_WIDTH, BackEnd, Scalars, Units


class NarrowBack(BackEnd):
    """Back end: scalars as units of ``width`` bits. A wider scalar becomes ``?``, another byte or nothing."""

    def units(self, text: Scalars) -> Units:
        replacement = NARROW_REPLACEMENT if self.replacement is None else self.replacement
        return _units(text, self.width, replacement, drop=self.drop)


@stage("units")
def _units(text: Scalars, width: int, replacement: int, *, drop: bool) -> Units:
    """The low bits of every scalar, or what stands for it where they are not all of it."""
    scalars = text.scalars(0)
    parts = [Lanes.map(f"above{low}", lambda c, low=low: c[low : min(low + 4, SCALAR_WIDTH)].any(), scalars)
             for low in range(width, SCALAR_WIDTH, 4)]
    above = Lanes.map("above", lambda *parts: Cat(parts).any(), *parts)
    present, replaced = text.present, above
    if text.bad is not None:
        replaced = Lanes.map("no_unit", lambda above, bad: above | bad, above, text.bad)
    if drop:
        present = Lanes.map("fits", lambda present, above: present & ~above, present, above)
    if text.whole is not None:
        unfit = Lanes.map("unfit", lambda present, above, whole: present & above & whole,
                          text.present, above, text.whole)
    else:
        # An ill-formed subpart is a fault in its own lane, which has priority.
        unfit = Lanes.map("unfit", lambda present, above: present & above, text.present, above)

    def unit(scalar: Value, replaced: Value) -> Value:
        # In gates: for a multiplexer with a constant, synthesis would infer a reset shared by all bits.
        return Cat(bit | replaced if replacement >> index & 1 else bit & ~replaced
                   for index, bit in enumerate(scalar[:width]))

    units = Lanes.map("unit", unit, scalars, replaced)
    return Units(present.beat(), lambda after: units.beat(), unfit)
