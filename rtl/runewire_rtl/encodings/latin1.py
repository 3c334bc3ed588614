"""Latin-1 front and back end: a byte is a scalar, nothing is ill-formed; scalars of 100 or above do not fit."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const

from ..pipeline import Lanes, stage
from ..stream_shapes import KIND_WIDTH
from .base import SCALAR_WIDTH, Faults, FrontEnd, Scalars, nul_faults
from .single_byte import NarrowBack


class Latin1Front(FrontEnd):
    """Front end: bytes as scalars."""

    lookahead: ClassVar[bool] = False

    def faults(self) -> Faults:
        faults = self._no_faults()
        return faults if self.whole_nul is None else nul_faults(faults, self.whole_nul)

    @stage("faults")
    def _no_faults(self) -> Faults:
        """Nothing is ever wrong."""
        none = Lanes.map("fault", lambda b: Const(0, 1), self.entry.data)
        return Faults(none, [none] * KIND_WIDTH, [])

    @stage("scalars")
    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        """Bytes with zeros above."""
        wide = Lanes.map("scalar", lambda b: Cat(b, Const(0, SCALAR_WIDTH - 8)), self.entry.data)
        if self.nul is not None and drop:
            keep = Lanes.map("whole", lambda keep, nul: keep & ~nul, keep, self.nul)
        return Scalars(keep, lambda after: wide, self.nul)


class Latin1Back(NarrowBack):
    """Back end: scalars as bytes of Latin-1."""

    width: ClassVar[int] = 8
