"""AXI4-Stream ports around a core."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Shape
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .layouts import REPORT

__all__ = ["AxiStream"]


class AxiStream(wiring.Component):
    """A core behind AXI4-Stream ports (Arm IHI 0051), members named as the bus names them.

    ``s_axis_*`` takes the core's input, ``m_axis_*`` gives its output; ``m_axis_tuser`` is the
    :data:`~runewire_rtl.layouts.REPORT`. Items wider than a byte occupy whole bytes, least significant
    first: four for a scalar, whose unused high bits are zero. Of the ``tkeep`` bits of an input item the
    lowest counts.
    """

    def __init__(self, core: Any) -> None:
        self.core = core
        self._in_bytes = _bytes(core.i.payload.data[0])
        self._out_bytes = _bytes(core.o.payload.data[0])
        in_bytes = self._in_bytes * len(core.i.payload.keep)
        out_bytes = self._out_bytes * len(core.o.payload.keep)
        super().__init__({
            "s_axis_tdata": In(8 * in_bytes),
            "s_axis_tkeep": In(in_bytes),
            "s_axis_tvalid": In(1),
            "s_axis_tready": Out(1),
            "s_axis_tlast": In(1),
            "m_axis_tdata": Out(8 * out_bytes),
            "m_axis_tkeep": Out(out_bytes),
            "m_axis_tvalid": Out(1),
            "m_axis_tready": In(1),
            "m_axis_tlast": Out(1),
            "m_axis_tuser": Out(REPORT.size),
        })

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = core = self.core
        m.d.comb += [
            core.i.valid.eq(self.s_axis_tvalid),
            self.s_axis_tready.eq(core.i.ready),
            core.i.payload.last.eq(self.s_axis_tlast),
            core.i.payload.keep.eq(self.s_axis_tkeep[:: self._in_bytes]),
            core.i.payload.data.as_value().eq(self.s_axis_tdata),
            self.m_axis_tvalid.eq(core.o.valid),
            core.o.ready.eq(self.m_axis_tready),
            self.m_axis_tlast.eq(core.o.payload.last),
            self.m_axis_tuser.eq(core.o.payload.report.as_value()),
            self.m_axis_tkeep.eq(Cat(bit.replicate(self._out_bytes) for bit in core.o.payload.keep)),
            self.m_axis_tdata.eq(Cat(
                Cat(item, Const(0, 8 * self._out_bytes - len(item))) for item in core.o.payload.data
            )),
        ]
        return m


def _bytes(item: Any) -> int:
    """Bytes that an item occupies on the bus: a power of two."""
    width = Shape.cast(item.shape()).width
    return 1 if width <= 8 else 4
