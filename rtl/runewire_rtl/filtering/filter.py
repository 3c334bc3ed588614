"""A filter: packets in, the same packets without their ill-formed records out, and these on a stream of their own.

Eight lanes, and a packet of two beats:

    beat                      records           output                    rejects
    41 42 0A 43 FF 0A 44 45   41 42 0A
                              43 FF 0A                                    43 FF 0A, record 1, HEADER_BITS at 1
    0A                        44 45 0A          41 42 0A 44 45 0A

Three cores and a buffer follow each other. A splitter makes a packet of each record, a validator judges it, and the
buffer holds it meanwhile (`record_buffer`). A packer joins the records that stay to full beats. Validator and packer
say early that they have room (`early_room`), which leaves time for registers on the way to the rows before them.

A packet without bytes has no record, and a splitter outputs nothing for it. So it goes through the splitter and the
validator as a packet of one zero byte, with a flag; the buffer removes the byte.

Throughput: one beat per cycle at the input, one row of a record per cycle inside. So it takes one record per cycle at
most. Latency: fixed for a packet of one beat; a record's rows leave the buffer when its last one has arrived.

Limits: a record has at most ``longest`` bytes, its delimiter included; a longer one is rejected.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib.wiring import Out
from runewire_model import AnyTiming, TranscoderParameters
from runewire_model.core_front import parts_of_filter
from runewire_model.timing import joined

from ..early_room import EarlyRoom
from ..pipeline.broadcast import replicas
from ..pipeline.layout_policy import Policy
from ..pipeline.restart import replica
from ..reset_sequencer import Drain
from ..splitting.splitter import Splitter
from ..stream_shapes import reject_beat
from ..transcoder import Transcoder
from .record_buffer import AHEAD, RecordBuffer, buffer_timing

NEAR = 2
"""Cycles from the validator's credits until its room is in the registers close to the read controllers before it."""


class Filter(Transcoder):
    """A filter: bytes in, and the packet without its ill-formed records out.

    Members, payloads and reset are the same as in `Transcoder`; ``o.payload.report`` has the number of the packet's
    rejected records, and its ``user``. ``rejects``, with the option of that name, is a stream of rejected records.
    """

    def __init__(
        self, parameters: TranscoderParameters, offset_width: int | None = None, policy: Policy | None = None,
    ) -> None:
        sidebands = parameters.sidebands
        super().__init__(parameters, offset_width, policy, {
            "rejects": Out(reject_beat(parameters.lanes, sidebands))} if sidebands.rejects else {})
        splitter, validator, packer = parts_of_filter(parameters)
        self.splitter = Splitter(splitter, policy=policy)
        self.validator = EarlyRoom(validator, NEAR, policy)
        self.packer_behind = EarlyRoom(packer, AHEAD, policy)
        self.parts = (self.splitter, self.validator, self.packer_behind)
        for part in self.parts:
            part._MustUse__silence = True

    def _join(self, m: Module, drain: Drain) -> AnyTiming:
        splitter, validator, packer = self.parts
        inside = Drain(drain.restart, Const(1))
        names = ("splitter", "validator", "packer_behind")
        times = [self._front(m, name, part, inside) for name, part in zip(names, self.parts, strict=True)]
        room = Signal(name="packer_room", reset_less=True)
        m.d.sync += room.eq(packer.room)
        m.submodules.record_buffer = RecordBuffer(
            validator.o, packer.i, room, getattr(self, "rejects", None), self.parameters.sidebands,
            drain.restart, drain.open)
        self._into(m, drain)
        given, into = splitter.o, validator.i
        ready = self._near(m)
        m.d.comb += [
            into.valid.eq(given.valid & ready), given.ready.eq(ready), into.payload.data.eq(given.payload.data),
            into.payload.keep.eq(given.payload.keep), into.payload.last.eq(given.payload.last),
            into.payload.user.eq(given.payload.report.user),
            *(into.payload[name].eq(given.payload[name]) for name in self.parameters.sidebands.tags),
        ]
        made, o = packer.o, self.o
        m.d.comb += [
            o.valid.eq(made.valid & drain.open), made.ready.eq(o.ready),
            o.payload.data.eq(made.payload.data), o.payload.keep.eq(made.payload.keep),
            o.payload.last.eq(made.payload.last), Cat(o.payload.report).eq(made.payload.report.user),
            *(o.payload[name].eq(made.payload[name]) for name in self.parameters.sidebands.tags),
        ]
        return self._joined(times)

    def _near(self, m: Module) -> Value:
        """``ready`` of the splitter's rows: whether the validator has room, through two registers, the second of which
        is close to a read controller."""
        readers = 1 + len(self.splitter.buffer.keep)
        near: list[Any] = [self.validator.room]
        for level, size in enumerate((-(-readers // self._policy.branch), readers)):
            near = replicas(m, near, f"validator_room_level{level}_", size, self._policy)
        self.splitter.buffer.ready = near
        return near[0]

    def _into(self, m: Module, drain: Drain) -> None:
        """The input to the splitter. A packet without bytes gets one, and the flag above the packet's end."""
        i, into = self.packed, self.splitter.i
        inside, hollow = Signal(name="inside", reset_less=True), Signal(name="hollow")
        with m.If(i.valid & i.ready):
            m.d.sync += inside.eq(~i.payload.last)
        with m.If(replica(m, drain.restart.clear, "inside_clear")):
            m.d.sync += inside.eq(0)
        user = [i.payload.user] if self.parameters.sidebands.user else []
        m.d.comb += [
            hollow.eq(~inside & i.payload.last & ~i.payload.keep[0]),
            into.valid.eq(i.valid & drain.open), i.ready.eq(into.ready & drain.open),
            into.payload.last.eq(i.payload.last), into.payload.data.eq(i.payload.data),
            into.payload.keep.eq(i.payload.keep | hollow),
            into.payload.user.eq(Cat(Const(0, 1), Const(1, 1), hollow, *user)),
            *(into.payload[name].eq(i.payload[name]) for name in self.parameters.sidebands.tags),
        ]
        with m.If(hollow):
            m.d.comb += into.payload.data[0].eq(0)

    def _joined(self, times: list[AnyTiming]) -> AnyTiming:
        """The timing of the three parts, and of the buffer between the last two."""
        return joined([*times[:-1], buffer_timing(self.parameters), times[-1]])

    def own_timing(self) -> AnyTiming:
        return self._joined([part.own_timing() for part in self.parts])
