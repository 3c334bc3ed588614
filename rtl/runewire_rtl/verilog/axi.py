"""AXI4-Stream ports of a core."""

from __future__ import annotations

from collections.abc import Iterable

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from runewire_model.report import MARKS

from ..cut_points import cut_point
from ..ports import ports
from ..transcoder import Transcoder


class AxiStream(wiring.Component):
    """A core with AXI4-Stream ports (Arm IHI 0051), members named as on the bus.

    ``s_axis_*`` is the core's input, ``m_axis_*`` its output, ``m_report_*`` its report stream, ``m_records_*`` its
    record report; see
    :func:`~runewire_rtl.ports.ports`. A unit wider than one byte occupies complete bytes, in the encoding's byte order;
    its unused upper bits are zero. All bytes of a unit are kept or none, except in a packet's last unit at the input.
    """

    def __init__(self, core: Transcoder) -> None:
        self.core = core
        flow = {"input": In, "output": Out}
        super().__init__({port.name: flow[port.direction](port.width)
                          for port in ports(core.parameters) if port.name not in ("aclk", "aresetn")})

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.core = core = self.core
        source, target, size = core.parameters.reads, core.parameters.writes, core.item_bytes
        units = (self.s_axis_tdata.word_select(lane, 8 * source.unit_bytes) for lane in range(core.parameters.lanes))
        sidebands, lanes = core.parameters.sidebands, core.o.payload.data
        moved = sidebands.tail and core.parameters.target is not None
        units_out = [lane.item for lane in lanes] if moved else lanes
        items = (Cat(item, Const(0, 8 * size - len(item))) for item in units_out)
        m.d.comb += [
            core.i.valid.eq(self.s_axis_tvalid),
            self.s_axis_tready.eq(core.i.ready),
            core.i.payload.last.eq(self.s_axis_tlast),
            core.i.payload.keep.eq(self.s_axis_tkeep),
            core.i.payload.data.as_value().eq(Cat(_ordered(units, source.byte_order))),
            self.m_axis_tvalid.eq(core.o.valid),
            core.o.ready.eq(self.m_axis_tready),
            self.m_axis_tlast.eq(core.o.payload.last),
            self.m_axis_tkeep.eq(Cat(bit.replicate(size) for bit in core.o.payload.keep)),
            self.m_axis_tdata.eq(Cat(_ordered(items, target.byte_order))),
        ]
        into, out = core.i.payload, core.o.payload
        m.d.comb += [into[name].eq(getattr(self, f"s_axis_t{name}")) for name in sidebands.carried]
        m.d.comb += [getattr(self, f"m_axis_t{name}").eq(out[name]) for name in sidebands.tags]
        marks = [out.marks] if sidebands.records is not None and not moved else [
            # The unit's last byte has them.
            Cat(Const(0, MARKS * (size - 1)), lane.ends, lane.bad) for lane in lanes if moved]
        if sidebands.last_beat or marks:
            m.d.comb += self.m_axis_tuser.eq(Cat(out.report, *marks))
        if sidebands.report_port != "none":
            m.d.comb += [
                self.m_report_tvalid.eq(core.report.valid), core.report.ready.eq(self.m_report_tready),
                self.m_report_tdata.eq(core.report.payload.as_value()),
            ]
        if sidebands.record_report:
            m.d.comb += [
                self.m_records_tvalid.eq(core.records.valid), core.records.ready.eq(self.m_records_tready),
                self.m_records_tdata.eq(core.records.payload),
            ]
        if sidebands.rejects:
            rejects = core.rejects.payload
            m.d.comb += [
                self.m_rejects_tvalid.eq(core.rejects.valid), core.rejects.ready.eq(self.m_rejects_tready),
                self.m_rejects_tdata.eq(Cat(rejects.data)), self.m_rejects_tkeep.eq(rejects.keep),
                self.m_rejects_tlast.eq(rejects.last), self.m_rejects_tuser.eq(Cat(rejects.report)),
                *(getattr(self, f"m_rejects_t{name}").eq(rejects[name]) for name in sidebands.tags),
            ]
        return m


def _ordered(units: Iterable[Value], byte_order: str) -> list[Value]:
    """Units between bus order (first byte lowest) and core order (least significant byte lowest)."""
    if byte_order == "little":
        return list(units)
    return [Cat(unit.word_select(at, 8) for at in reversed(range(len(unit) // 8))) for unit in units]
