"""Text over Ethernet: UDP datagrams of UTF-8 in, their verdicts and the text in UTF-16 back."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Any

from amaranth.hdl import Instance, Module, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from runewire_model import TranscoderParameters
from runewire_model.report import Sidebands

from . import liteeth_core
from .core import GeneratedCore
from .inbox import ARRIVING, PORT, Inbox
from .outbox import OFFSET_BITS, Outbox


def transcoder() -> TranscoderParameters:
    """The core: a byte per cycle. Its ``s_axis_tuser`` marks the end of a packet whose frame was damaged."""
    return TranscoderParameters("utf-8", "utf-16le", lanes=1, sidebands=Sidebands(offset_bits=OFFSET_BITS, user=1))


class TextOverEthernet(wiring.Component):
    """LiteEth's stack, `Inbox`, `transcoder` and `Outbox`, in the clock domain ``sync``, whose clock is the PHY's.

    ``pads``: ports of the board by the names that `liteeth_core.PADS` has. ``ip``: the board's address.

    Members
    -------
    clk : the clock
    """

    def __init__(self, pads: dict[str, Any], ip: IPv4Address) -> None:
        self._pads = pads
        self._ip = ip
        super().__init__({"clk": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.inbox = inbox = Inbox()
        m.submodules.core = core = GeneratedCore(transcoder())
        m.submodules.outbox = outbox = Outbox()
        arriving = inbox.i.payload
        given = {"reset": ResetSignal(), "reply_valid": outbox.reply.valid, "reply_data": outbox.reply.payload.data,
                 "reply_last": outbox.reply.payload.last, "reply_length": outbox.length,
                 **{f"reply_{name}": outbox.to[name] for name in ("port", "ip", "mac")}}
        taken = {"clk": self.clk, "text_valid": inbox.i.valid, "reply_ready": outbox.reply.ready,
                 **{f"text_{name}": arriving[name] for name in ARRIVING.members}}
        platform.add_file(f"{liteeth_core.NAME}.v", liteeth_core.verilog(PORT, self._ip))
        m.submodules.liteeth = Instance(
            liteeth_core.NAME,
            **{f"{'i' if name.startswith('rx') else 'o'}_{name}": self._pads[name] for name in liteeth_core.PADS},
            **{f"i_{name}": given[name] for name in liteeth_core.INPUTS},
            **{f"o_{name}": taken[name] for name in liteeth_core.OUTPUTS})
        text, unit = inbox.text.payload, outbox.unit.payload
        report = {field.name: core.m_axis_tuser[field.lsb:field.lsb + field.width]
                  for field in core.parameters.sidebands.last_beat}
        m.d.comb += [
            core.s_axis_tdata.eq(text.data), core.s_axis_tkeep.eq(text.keep), core.s_axis_tlast.eq(text.last),
            core.s_axis_tuser.eq(text.damaged), core.s_axis_tvalid.eq(inbox.text.valid),
            # A core whose output never waits takes a beat in each cycle, once it has started.
            inbox.closed.eq(outbox.full | ~core.s_axis_tready), inbox.room.eq(outbox.room),
            core.m_axis_tready.eq(1), outbox.unit.valid.eq(core.m_axis_tvalid),
            unit.data.eq(core.m_axis_tdata), unit.keep.eq(core.m_axis_tkeep[0]), unit.last.eq(core.m_axis_tlast),
            unit.damaged.eq(report["user"]), unit.kind.eq(report["kind"]), unit.offset.eq(report["offset"]),
            outbox.sender.valid.eq(inbox.sender.valid), outbox.sender.payload.eq(inbox.sender.payload),
        ]
        return m
