"""UTF-16 front and back end: surrogates are paired with their neighbours, a scalar is one or two units (D91).

Three units in their lanes. The second unit of a pair ends its scalar:

    lane              0     1     2
    unit              D83D  DE00  0041
    front: present    0     1     1
           scalar     ?     1F600 0041
    back:  slot 0     -     D83D  -
           slot 1     -     DE00  0041
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import ClassVar, NamedTuple

from amaranth.hdl import Cat, Const, Value
from runewire_model import ErrorKind
from runewire_model.scalars import REPLACEMENT

from ..pipeline import Lanes, stage
from ..stream_shapes import KIND_WIDTH
from .base import SCALAR_WIDTH, BackEnd, Faults, FrontEnd, Scalars, Units
from .bom_order import first_mark, in_order
from .text_start import at_text_start

HIGH, LOW = Const(0xD800 >> 10, 6), Const(0xDC00 >> 10, 6)
"""The upper bits of surrogates."""


def one_less(value: Value) -> Value:
    """``value - 1``, in the same width."""
    return Cat(bit ^ ~value[:index].any() if index else ~bit for index, bit in enumerate(value))


def one_more(value: Value) -> Value:
    """``value + 1``, one bit wider, in gates: a carry chain would take more cells."""
    return Cat(*(bit ^ value[:index].all() if index else ~bit for index, bit in enumerate(value)), value.all())


class Judged(NamedTuple):
    """The verdicts on each unit. ``high``, ``low``: a surrogate. ``pair``: the second unit of a pair. ``cut``: present
    but incomplete. ``bad``: an ill-formed subpart ends here. ``mark``: a byte order mark to leave out; None if none
    is. ``nul``: U+0000; None if it is well-formed."""

    high: Lanes
    low: Lanes
    pair: Lanes
    cut: Lanes
    bad: Lanes
    mark: Lanes | None
    nul: Lanes | None


class Utf16Front(FrontEnd):
    """Front end: units of UTF-16 as scalars, each in the lane of its last unit. An incomplete unit is TOO_SHORT,
    together with a high surrogate before it. An unpaired surrogate is SURROGATE."""

    lookahead: ClassVar[bool] = True

    @cached_property
    @stage("classes")
    def _cut(self) -> Lanes:
        """Whether each unit is there, but not whole."""
        return Lanes.map("cut", lambda keep: keep[0] & ~keep[1], self.entry.keep)

    @cached_property
    @stage("classes")
    def _surrogates(self) -> tuple[Lanes, Lanes]:
        """High and low surrogates among the whole units."""
        units = self.units
        either = Lanes.map("surrogate_bits", lambda c: c[12:16] == 0xD800 >> 12, units)

        def surrogate(name: str, low: int) -> Lanes:
            return Lanes.map(name, lambda either, c, whole: either & c[11] & (c[10] == low) & whole,
                             either, units, self.entry.whole)

        return surrogate("high", 0), surrogate("low", 1)

    @cached_property
    @stage("verdicts")
    def _pair(self) -> Lanes:
        """Whether each unit is the second of two."""
        high, low = self._surrogates
        return Lanes.map("pair", lambda low, before: low & before, low, high.back(1))

    @cached_property
    @stage("verdicts")
    def _lone(self) -> Lanes:
        """Whether each unit is a surrogate without its other half, and none that a cut unit follows."""
        high, low = self._surrogates
        lone_high = Lanes.map("lone_high", lambda high, low, cut: high & ~low & ~cut,
                              high, low.ahead(), self._cut.ahead())
        lone_low = Lanes.map("lone_low", lambda low, before: low & ~before, low, high.back(1))
        return Lanes.map("lone", lambda *flags: Cat(flags).any(), lone_high, lone_low)

    @cached_property
    @stage("verdicts")
    def _bad(self) -> Lanes:
        """Whether an ill-formed subpart ends in each lane."""
        if self.whole_nul is not None:
            return Lanes.map("bad", lambda lone, cut, nul: lone | cut | nul, self._lone, self._cut, self.whole_nul)
        return Lanes.map("bad", lambda lone, cut: lone | cut, self._lone, self._cut)

    @stage("faults")
    def faults(self) -> Faults:
        """Ill-formed subparts, and why."""
        high, _ = self._surrogates
        kinds = {ErrorKind.SURROGATE: self._lone, ErrorKind.TOO_SHORT: self._cut}
        if self.whole_nul is not None:
            kinds[ErrorKind.NUL] = self.whole_nul
        return Faults(
            any=Lanes.map("fault", lambda keep, bad: keep & bad, self.entry.kept, self._bad),
            kind=[
                Lanes.map(f"kind{bit}", lambda *flags: Cat(flags).any(),
                          *([flag for code, flag in kinds.items() if code >> bit & 1] or [self._none]))
                for bit in range(KIND_WIDTH)
            ],
            back=[Lanes.map("back0", lambda cut, before: cut & before, self._cut, high.back(1))],
        )

    @cached_property
    def _none(self) -> Lanes:
        return Lanes.map("none", lambda cut: cut & 0, self._cut)

    @stage("scalars")
    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        """Scalars where they end, a byte order mark or what is ill-formed left out where that is asked for."""
        units = self.units
        high, low = self._surrogates
        begins = Lanes.map("begins", lambda high, low, cut: high & (low | cut),
                           high, low.ahead(), self._cut.ahead())
        present = Lanes.map("ends", lambda keep, begins: keep & ~begins, keep, begins)
        if strip:
            present = Lanes.map("no_mark", lambda keep, mark: keep & ~mark, present, self._byte_order_mark())
        if drop:
            present = Lanes.map("whole", lambda keep, bad: keep & ~bad, present, self._bad)

        @cache
        def made(after: int) -> Lanes:
            return _scalars(units, self._pair, after)

        return Scalars(present, made, self._bad, None, lambda records: [self._pair])

    def judged(self, *, strip: bool) -> Judged:
        """The verdicts on each unit, for a fused pair. ``strip`` as in `scalars`."""
        return Judged(*self._surrogates, self._pair, self._cut, self._bad, self._byte_order_mark() if strip else None,
                      self.whole_nul)

    def _byte_order_mark(self) -> Lanes:
        """Flags a packet's first unit if it is U+FEFF."""
        return at_text_start(first_mark(self.units, 16, lambda: self._cut), self.entry.begun)


@stage("scalars")
def _scalars(units: Lanes, pairs: Lanes, after: int) -> Lanes:
    """The scalar that ends in each lane, at step ``after`` or later: until then units wait, which are narrower."""
    def scalar(pair: Value, c: Value, upper: Value) -> Value:
        middle = (c[10:16] & (~pair).replicate(6)) | (upper[:6] & pair.replicate(6))
        return Cat(c[:10], middle, upper[6:] & pair.replicate(SCALAR_WIDTH - 16))

    # The contribution of a high surrogate: its four upper bits plus one are the scalar's five upper bits.
    upper = Lanes.map("upper", lambda c: Cat(c[:6], one_more(c[6:10])), units, after=after - 2)
    return Lanes.map("scalar", scalar, pairs, units, upper.back(1))


class Utf16ToldFront(Utf16Front):
    """Front end of BOM-ordered UTF-16; after swapping, units are big-endian."""

    @cached_property
    def units(self) -> Lanes:
        return in_order(self.entry.data, self.entry.whole, self.entry.order)


class Utf16Back(BackEnd):
    """Back end: scalars as units of UTF-16, in up to two slots a lane. The last slot has a scalar's last unit."""

    width: ClassVar[int] = 16

    def units(self, text: Scalars) -> Units:
        return _units(text, self.slots)


@stage("units")
def _units(text: Scalars, slots: int) -> Units:
    """The units of every scalar: itself, or a pair of surrogates, which have ten bits of it each."""
    scalars = text.scalars(0)
    parts = [Lanes.map(f"two{low}", lambda c, low=low: c[low : min(low + 4, SCALAR_WIDTH)].any(), scalars)
             for low in range(16, SCALAR_WIDTH, 4)]
    none: list[Lanes] = [] if text.bad is None else [text.bad]
    two = Lanes.map("two", lambda *parts: Cat(parts).any(), *parts)
    if none:
        two = Lanes.map("two_whole", lambda two, bad: two & ~bad, two, *none)
    first = Lanes.map("first", lambda present, two: present & two, text.present, two)

    def high(c: Value) -> Value:
        return Cat(c[10:16], one_less(c[16:20]), HIGH)

    def last(two: Value, c: Value, *bad: Value) -> Value:
        # In gates: for a multiplexer with a constant, synthesis would infer a reset shared by all bits.
        made = [*c[:10], *(bit | two if LOW.value >> index & 1 else bit & ~two for index, bit in enumerate(c[10:16]))]
        if bad:
            made = [bit | bad[0] if REPLACEMENT >> index & 1 else bit & ~bad[0] for index, bit in enumerate(made)]
        return Cat(made)

    present = [first, text.present]
    units = [Lanes.map("high", high, scalars), Lanes.map("last", last, two, scalars, *none)]
    lanes = range(scalars.width)
    return Units([slot[lane] for lane in lanes for slot in present[-slots:]],
                 lambda after: [slot[lane] for lane in lanes for slot in units[-slots:]])
