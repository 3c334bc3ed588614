"""Latin-1 in hardware: a byte is a scalar, and nothing is ill-formed."""

from __future__ import annotations

from typing import ClassVar

from amaranth.hdl import Cat, Const

from ..layouts import KIND_WIDTH
from ..pipeline import Lanes
from .base import SCALAR_WIDTH, Faults, FrontEnd, Scalars

__all__ = ["Latin1Front"]


class Latin1Front(FrontEnd):
    """Bytes as scalars."""

    lookahead: ClassVar[bool] = False

    def faults(self) -> Faults:
        none = Lanes.map("fault", lambda b: Const(0, 1), self.source.data)
        return Faults(none, [none] * KIND_WIDTH, [])

    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        wide = Lanes.map("scalar", lambda b: Cat(b, Const(0, SCALAR_WIDTH - 8)), self.source.data)
        return Scalars(keep, lambda after: wide, None)
