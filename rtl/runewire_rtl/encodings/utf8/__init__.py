"""UTF-8 front and back end: bytes to scalars by byte classes and window verdicts, scalars to sequences (RFC 3629)."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from ...pipeline import Lanes
from ..base import BackEnd, Faults, FrontEnd, Scalars, Units, nul_faults
from ..text_start import at_text_start
from .classes import ByteClasses, classify
from .faults import find_faults
from .scalars import assemble, byte_order_mark, distances, emissions
from .sequences import sequences
from .verdicts import Joins, judge

__all__ = ["Utf8Back", "Utf8Front"]


class Utf8Front(FrontEnd):
    """Front end: bytes of UTF-8 as scalars, each in the lane of its last byte; U+FFFD for ill-formed subparts."""

    lookahead: ClassVar[bool] = True
    absent: ClassVar[int] = 0x80
    """A missing byte reads as ASCII: it ends a sequence and is never an error."""

    def faults(self) -> Faults:
        return self._faults

    @cached_property
    def _faults(self) -> Faults:
        faults = find_faults(self.entry.data, apart=self.apart)
        return faults if self.whole_nul is None else nul_faults(faults, self.whole_nul)

    def ill_formed_stretches(self) -> Lanes:
        return self._faults.any

    def scalars(self, keep: Lanes, *, drop: bool, strip: bool) -> Scalars:
        classes, joins = self._joins
        mark = at_text_start(byte_order_mark(classes), self.entry.begun) if strip else None
        present = emissions(joins, keep, mark, drop=drop)
        return Scalars(present, lambda after: assemble(classes, joins, after), None, joins.complete,
                       lambda records: distances(classes, records=records))

    @cached_property
    def _joins(self) -> tuple[ByteClasses, Joins]:
        classes = classify(self.entry.data)
        return classes, judge(classes, self.nul)


class Utf8Back(BackEnd):
    """Back end: scalars as sequences of UTF-8, in up to four slots a lane. The last slot has a sequence's last byte."""

    width: ClassVar[int] = 8

    def units(self, text: Scalars) -> Units:
        return sequences(text, self.slots)
