"""AXI4-Stream ports around a core."""

from __future__ import annotations

from collections.abc import Iterable

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .layouts import REPORT
from .transcoder import Transcoder

__all__ = ["AxiStream"]


class AxiStream(wiring.Component):
    """A core behind AXI4-Stream ports (Arm IHI 0051), members named as the bus names them.

    ``s_axis_*`` takes the core's input, ``m_axis_*`` gives its output; ``m_axis_tuser`` is the
    :data:`~runewire_rtl.layouts.REPORT`. Units wider than a byte occupy whole bytes in the encoding's byte order; the
    upper bits that a unit never has are zero. A unit is kept as a whole, but for the last of a packet on its way in.
    """

    def __init__(self, core: Transcoder) -> None:
        self.core = core
        parameters = core.parameters
        super().__init__({
            "s_axis_tdata": In(8 * parameters.input_bytes),
            "s_axis_tkeep": In(parameters.input_bytes),
            "s_axis_tvalid": In(1),
            "s_axis_tready": Out(1),
            "s_axis_tlast": In(1),
            "m_axis_tdata": Out(8 * parameters.output_bytes),
            "m_axis_tkeep": Out(parameters.output_bytes),
            "m_axis_tvalid": Out(1),
            "m_axis_tready": In(1),
            "m_axis_tlast": Out(1),
            "m_axis_tuser": Out(REPORT.size),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = core = self.core
        source, target, size = core.parameters.reads, core.parameters.writes, core.item_bytes
        units = (self.s_axis_tdata.word_select(lane, 8 * source.unit_bytes) for lane in range(core.parameters.lanes))
        items = (Cat(item, Const(0, 8 * size - len(item))) for item in core.o.payload.data)
        m.d.comb += [
            core.i.valid.eq(self.s_axis_tvalid),
            self.s_axis_tready.eq(core.i.ready),
            core.i.payload.last.eq(self.s_axis_tlast),
            core.i.payload.keep.eq(self.s_axis_tkeep),
            core.i.payload.data.as_value().eq(Cat(_ordered(units, source.byte_order))),
            self.m_axis_tvalid.eq(core.o.valid),
            core.o.ready.eq(self.m_axis_tready),
            self.m_axis_tlast.eq(core.o.payload.last),
            self.m_axis_tuser.eq(core.o.payload.report.as_value()),
            self.m_axis_tkeep.eq(Cat(bit.replicate(size) for bit in core.o.payload.keep)),
            self.m_axis_tdata.eq(Cat(_ordered(items, target.byte_order))),
        ]
        return m


def _ordered(units: Iterable[Value], byte_order: str) -> list[Value]:
    """Units between the bus, where the byte that comes first is lowest, and the core, where the lowest is the least
    significant."""
    if byte_order == "little":
        return list(units)
    return [Cat(unit.word_select(at, 8) for at in reversed(range(len(unit) // 8))) for unit in units]
