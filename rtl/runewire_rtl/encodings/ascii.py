"""ASCII front and back end: a byte below 80 is a scalar, every other is ill-formed; scalars of 80 or above do not
fit."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from amaranth.hdl import Cat, Const
from runewire_model import ErrorKind

from ..pipeline import Lanes, stage
from ..stream_shapes import KIND_WIDTH
from .base import SCALAR_WIDTH, Faults, FrontEnd, Scalars, nul_faults
from .single_byte import NarrowBack


class AsciiFront(FrontEnd):
    """Front end: bytes as scalars; a byte of 80 or above is TOO_LARGE."""

    lookahead: ClassVar[bool] = False

    @cached_property
    @stage("verdicts")
    def _bad(self) -> Lanes:
        """Whether each byte is none of ASCII."""
        return Lanes.map("bad", lambda b: b[7], self.entry.data)

    @cached_property
    @stage("verdicts")
    def _ill_formed(self) -> Lanes:
        """Whether each byte is ill-formed."""
        if self.nul is None:
            return self._bad
        return Lanes.map("bad_or_nul", lambda bad, nul: bad | nul, self._bad, self.nul)

    def faults(self) -> Faults:
        faults = self._beyond()
        return faults if self.whole_nul is None else nul_faults(faults, self.whole_nul)

    @stage("faults")
    def _beyond(self) -> Faults:
        """Bytes that are none of ASCII."""
        fault = Lanes.map("fault", lambda keep, bad: keep & bad, self.entry.kept, self._bad)
        return Faults(fault, [
            Lanes.map(f"kind{bit}", lambda bad, bit=bit: bad & (ErrorKind.TOO_LARGE >> bit & 1), self._bad)
            for bit in range(KIND_WIDTH)
        ], [])

    @stage("scalars")
    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        """Bytes with zeros above, those that are none of ASCII left out where that is asked for."""
        if drop:
            keep = Lanes.map("whole", lambda keep, bad: keep & ~bad, keep, self._ill_formed)
        wide = Lanes.map("scalar", lambda b: Cat(b[:7], Const(0, SCALAR_WIDTH - 7)), self.entry.data)
        return Scalars(keep, lambda after: wide, self._ill_formed)


class AsciiBack(NarrowBack):
    """Back end: scalars as bytes of ASCII."""

    width: ClassVar[int] = 7
