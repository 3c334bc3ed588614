"""Text over Ethernet: UDP datagrams in, replies out; LiteEth's stack, and a core with an input and an output side."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Instance, Module, Mux, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out
from runewire_model import TranscoderParameters, parameters
from runewire_model.report import Sidebands

from . import liteeth_core
from .core import GeneratedCore
from .datagram_buffer import DatagramBuffer
from .datagrams import MORE_PORT, PORT
from .inbox import ARRIVING, Inbox
from .network import Network
from .outbox import OFFSET_BITS, Outbox
from .record_outbox import LONGEST_TEXT, RecordOutbox

LONGEST_RECORD = 2048
"""Bytes of the filter's buffer: a power of two, above any datagram."""


def transcoder(network: Network) -> TranscoderParameters:
    """The core for text: a byte per cycle. With flows its ``s_axis_tuser`` says that the text continues, else that the
    packet's frame was damaged."""
    side = Sidebands(offset_bits=OFFSET_BITS, user=1) if network.flows is None else Sidebands(
        offset_bits=OFFSET_BITS, flows=network.flows, id=network.flow_bits)
    return TranscoderParameters("utf-8", "utf-16le", lanes=1, sidebands=side)


def line_filter() -> TranscoderParameters:
    """The core for lines: a byte per cycle."""
    return parameters("filter", lanes=1, longest=LONGEST_RECORD, rejects=True)


class TextOverEthernet(wiring.Component):
    """LiteEth's stack, `Inbox`, a core and its outbox, in the clock domain ``sync``, whose clock is the PHY's.

    ``pads``: ports of the board by the names that `liteeth_core.PADS` has. Before a core with flows and before the
    filter there is a `DatagramBuffer`.

    Members
    -------
    clk : the clock
    """

    def __init__(self, pads: dict[str, Any], network: Network) -> None:
        self._pads = pads
        self._network = network
        super().__init__({"clk": Out(1)})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        network = self._network
        if network.filter:
            inbox, outbox, core = Inbox(longest=LONGEST_TEXT), RecordOutbox(), GeneratedCore(line_filter())
            _connect_filter(m, core, outbox)
        else:
            inbox, outbox = Inbox(segments=network.flows is not None), Outbox()
            core = GeneratedCore(transcoder(network))
            _connect_transcoder(m, core, outbox)
        m.submodules.inbox, m.submodules.core, m.submodules.outbox = inbox, core, outbox
        if network.filter or network.flows is not None:
            _feed_whole_datagrams(m, inbox, core, outbox)
        else:
            _feed_bytes(m, inbox, core, outbox)
        m.d.comb += inbox.room.eq(outbox.room)
        self._connect_liteeth(m, platform, inbox, outbox)
        return m

    def _connect_liteeth(self, m: Module, platform: Any, inbox: Inbox, outbox: Outbox | RecordOutbox) -> None:
        arriving = inbox.i.payload
        given = {"reset": ResetSignal(), "reply_valid": outbox.reply.valid, "reply_data": outbox.reply.payload.data,
                 "reply_last": outbox.reply.payload.last, "reply_length": outbox.length,
                 "reply_from": Mux(outbox.to.more, MORE_PORT, PORT),
                 **{f"reply_{name}": outbox.to[name] for name in ("port", "ip", "mac")}}
        taken = {"clk": self.clk, "text_valid": inbox.i.valid, "reply_ready": outbox.reply.ready,
                 **{f"text_{name}": arriving[name] for name in ARRIVING.members}}
        platform.add_file(f"{liteeth_core.NAME}.v", liteeth_core.verilog(self._network.ip))
        m.submodules.liteeth = Instance(
            liteeth_core.NAME,
            **{f"{'i' if name.startswith('rx') else 'o'}_{name}": self._pads[name] for name in liteeth_core.PADS},
            **{f"i_{name}": given[name] for name in liteeth_core.INPUTS},
            **{f"o_{name}": taken[name] for name in liteeth_core.OUTPUTS})


def _feed_bytes(m: Module, inbox: Inbox, core: GeneratedCore, outbox: Outbox | RecordOutbox) -> None:
    """Give each byte to the core when it comes."""
    text = inbox.text.payload
    m.d.comb += [
        core.s_axis_tdata.eq(text.data), core.s_axis_tkeep.eq(text.keep), core.s_axis_tlast.eq(text.last),
        core.s_axis_tuser.eq(text.damaged), core.s_axis_tvalid.eq(inbox.text.valid),
        # A core whose output never waits takes a beat in each cycle, once it has started.
        inbox.closed.eq(outbox.full | ~core.s_axis_tready),
        outbox.sender.valid.eq(inbox.sender.valid), outbox.sender.payload.eq(inbox.sender.payload),
    ]


def _feed_whole_datagrams(m: Module, inbox: Inbox, core: GeneratedCore, outbox: Outbox | RecordOutbox) -> None:
    """Give a datagram to the core when its frame has ended and is not damaged."""
    m.submodules.buffer = buffer = DatagramBuffer()
    beat = buffer.beat.payload
    m.d.comb += [
        buffer.text.valid.eq(inbox.text.valid), buffer.text.payload.eq(inbox.text.payload),
        buffer.arriving.valid.eq(inbox.sender.valid), buffer.arriving.payload.eq(inbox.sender.payload),
        outbox.sender.valid.eq(buffer.sender.valid), outbox.sender.payload.eq(buffer.sender.payload),
        inbox.closed.eq(outbox.full | buffer.full),
        core.s_axis_tdata.eq(beat.data), core.s_axis_tkeep.eq(beat.keep), core.s_axis_tlast.eq(beat.last),
        core.s_axis_tvalid.eq(buffer.beat.valid), buffer.beat.ready.eq(core.s_axis_tready),
    ]
    if core.parameters.sidebands.flows is not None:
        m.d.comb += [core.s_axis_tuser.eq(beat.more & beat.last), core.s_axis_tid.eq(beat.port)]


def _connect_transcoder(m: Module, core: GeneratedCore, outbox: Outbox) -> None:
    report = {field.name: core.m_axis_tuser[field.lsb:field.lsb + field.width]
              for field in core.parameters.sidebands.last_beat}
    unit = outbox.unit.payload
    m.d.comb += [
        core.m_axis_tready.eq(1), outbox.unit.valid.eq(core.m_axis_tvalid),
        unit.data.eq(core.m_axis_tdata), unit.keep.eq(core.m_axis_tkeep[0]), unit.last.eq(core.m_axis_tlast),
        unit.damaged.eq(report.get("user", 0)), unit.kind.eq(report["kind"]), unit.offset.eq(report["offset"]),
    ]


def _connect_filter(m: Module, core: GeneratedCore, outbox: RecordOutbox) -> None:
    kept, rejected = outbox.kept.payload, outbox.rejected.payload
    why = {field.name: core.m_rejects_tuser[field.lsb:field.lsb + field.width]
           for field in core.parameters.sidebands.reject_end}
    m.d.comb += [
        core.m_axis_tready.eq(1), outbox.kept.valid.eq(core.m_axis_tvalid),
        kept.data.eq(core.m_axis_tdata), kept.keep.eq(core.m_axis_tkeep), kept.last.eq(core.m_axis_tlast),
        kept.rejected.eq(core.m_axis_tuser),
        core.m_rejects_tready.eq(1), outbox.rejected.valid.eq(core.m_rejects_tvalid),
        rejected.data.eq(core.m_rejects_tdata), rejected.keep.eq(core.m_rejects_tkeep),
        rejected.last.eq(core.m_rejects_tlast),
        *(rejected[name].eq(why[name]) for name in ("kind", "offset", "record")),
    ]
