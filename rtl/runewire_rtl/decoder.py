"""The UTF-8 decoder: bytes in, Unicode scalar values out."""

from __future__ import annotations

from amaranth.hdl import Module
from runewire_model import DecoderParameters

from .classes import classify
from .core import Core
from .layouts import input_beat, output_beat
from .packing import Packed, in_place, pack
from .pipeline import Plan
from .report import first_error
from .reset import Restart
from .scalars import SCALAR_WIDTH, assemble, byte_order_mark, emissions
from .source import hold
from .verdicts import find_faults, judge

__all__ = ["Decoder"]


class Decoder(Core):
    """UTF-8 to scalars, ``lanes`` bytes a cycle (RFC 3629; Unicode chapter 3 for ill-formed input).

    One beat a cycle under any pattern of stalls. A maximal subpart of an ill-formed sequence becomes one
    U+FFFD, or with ``errors="drop"`` nothing; the packet's first error is reported with its last beat.

    Members
    -------
    i : input stream of :func:`~runewire_rtl.layouts.input_beat` with bytes in its lanes
    o : output stream of :func:`~runewire_rtl.layouts.output_beat` with 21-bit scalars in its lanes. With
        ``packing="dense"`` every beat is full but a packet's last; with ``"sparse"`` a beat comes for each
        input beat, and a scalar stands in the lane of its last byte.
    """

    def __init__(self, parameters: DecoderParameters) -> None:
        self.parameters = parameters
        super().__init__(input_beat(parameters.lanes, 8), output_beat(parameters.lanes, SCALAR_WIDTH))

    def build(self, m: Module, restart: Restart) -> Packed:
        parameters = self.parameters
        source = hold(m, self.i, Plan.of(parameters.pipeline), restart)
        classes = classify(source.data)
        joins = judge(classes)
        bom = byte_order_mark(classes) if parameters.bom == "strip" else None
        dense = parameters.packing == "dense"
        present = emissions(joins, source.kept() if dense else source.keep, bom, drop=parameters.errors == "drop")
        report = first_error(source.pipeline, find_faults(source.data))
        packing = pack if dense else in_place
        return packing(
            source, self.o, present.beat(), lambda after: assemble(classes, joins, after).beat(), report
        )
