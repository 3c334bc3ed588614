"""UTF-32 front and back end: a scalar is one unit of 32 bits, judged without its neighbours (D76 and D90)."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from amaranth.hdl import Cat, Value
from runewire_model import ErrorKind
from runewire_model.scalars import REPLACEMENT

from ..pipeline import Lanes, Timed, stage
from ..pipeline.gates import replaced
from ..stream_shapes import KIND_WIDTH
from .base import SCALAR_WIDTH, BackEnd, Faults, FrontEnd, Scalars, Units
from .bom_order import first_mark, in_order
from .text_start import at_text_start


class Utf32Front(FrontEnd):
    """Front end: units of UTF-32 unchanged, and their faults. An incomplete unit is TOO_SHORT."""

    lookahead: ClassVar[bool] = False

    @staticmethod
    def narrowed(unit: Value) -> Value:
        # A number above all scalars has one of its upper bits set.
        return Cat(unit[:SCALAR_WIDTH], unit[SCALAR_WIDTH:].any())

    @cached_property
    @stage("verdicts")
    def _kinds(self) -> dict[ErrorKind, Lanes]:
        """What is wrong with each unit: at most one of them."""
        units = self.units
        together = self.pipeline.policy.lut_inputs

        def any_of(name: str, low: int, high: int) -> Lanes:
            return Lanes.map(name, lambda c: c[low:high].any(), units)

        beyond_parts = [any_of(f"beyond{low}", low, min(low + together, 32))
                        for low in range(SCALAR_WIDTH, 32, together)]
        beyond = Lanes.map("beyond", lambda *parts: Cat(parts).any(), *beyond_parts)
        upper = any_of("upper", 16, SCALAR_WIDTH)
        above_last = Lanes.map("above_last", lambda c: c[16:SCALAR_WIDTH] > 0x10, units)
        d800 = Lanes.map("d800", lambda c: c[11:16] == 0xD800 >> 11, units)
        cut = Lanes.map("cut", lambda keep: keep[0] & ~keep.all(), self.entry.keep)
        nul = {} if self.nul is None else {
            ErrorKind.NUL: Lanes.map("nul", lambda nul, cut: nul & ~cut, self.nul, cut)}
        return {
            ErrorKind.TOO_LARGE: Lanes.map("large", lambda beyond, above, cut: (beyond | above) & ~cut,
                                           beyond, above_last, cut),
            ErrorKind.SURROGATE: Lanes.map("surrogate", lambda d8, upper, beyond, cut: d8 & ~upper & ~beyond & ~cut,
                                           d800, upper, beyond, cut),
            ErrorKind.TOO_SHORT: cut,
            **nul,
        }

    @cached_property
    @stage("verdicts")
    def _bad(self) -> Lanes:
        """Whether anything is wrong with each unit."""
        return Lanes.map("bad", lambda *flags: Cat(flags).any(), *self._kinds.values())

    @stage("faults")
    def faults(self) -> Faults:
        """Units that are no scalar value, and why."""
        kinds = self._kinds
        # The logic that inserts U+FFFD has replicas of its own. A report is wide and waits for its row: a step later it
        # waits for less time.
        bad = Lanes.map("bad_replica", lambda bad: bad, self._bad, keep=True)
        return Faults(
            any=Lanes.map("fault", lambda keep, bad: keep & bad, self.entry.kept, bad),
            kind=[
                Lanes.map(f"kind{bit}", lambda *flags: Cat(flags).any(),
                          *(flag for code, flag in kinds.items() if code >> bit & 1))
                for bit in range(KIND_WIDTH)
            ],
            back=[],
        )

    @stage("scalars")
    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        """Units that stand for something, a byte order mark or what is ill-formed left out where that is asked for."""
        if strip:
            keep = Lanes.map("no_mark", lambda keep, mark: keep & ~mark, keep, self._byte_order_mark())
        if drop:
            keep = Lanes.map("whole", lambda keep, bad: keep & ~bad, keep, self._bad)
        return Scalars(keep, lambda after: self.units, self._bad)

    def _byte_order_mark(self) -> Lanes:
        """Flags a packet's first unit if it is U+FEFF."""
        return at_text_start(first_mark(self.units, 32, lambda: self._kinds[ErrorKind.TOO_SHORT]), self.entry.begun)


class Utf32ToldFront(Utf32Front):
    """Front end of BOM-ordered UTF-32; after swapping, units are big-endian."""

    @staticmethod
    def narrowed(unit: Value) -> Value:
        return unit

    @cached_property
    def units(self) -> Lanes:
        return in_order(self.entry.data, self.entry.whole, self.entry.order)


class Utf32Back(BackEnd):
    """Back end: scalars as units of UTF-32. The port adds the bits that are always 0."""

    width: ClassVar[int] = SCALAR_WIDTH

    def units(self, text: Scalars) -> Units:
        def data(after: int) -> list[Timed]:
            scalars = text.scalars(after if text.bad is None else max(0, after - 1))
            if text.bad is not None:
                with text.pipeline.stage("replacement", "U+FFFD in place of what is no scalar value."):
                    scalars = Lanes.map(
                        "replaced", lambda scalar, bad: replaced(scalar[:SCALAR_WIDTH], REPLACEMENT, bad),
                        scalars, text.bad)
            return scalars.beat()

        return Units(text.present.beat(), data)
