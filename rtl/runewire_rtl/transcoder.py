"""A core: the front end of one encoding and the back end of another, between an input stage and an output buffer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from amaranth.hdl import Fragment, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from runewire_model import Timing, TranscoderParameters

from .drain import Drain, start_cycles
from .encodings import BACK_ENDS, FRONT_ENDS, PAIRS
from .encodings.base import Units, merge_faults
from .input_stage import InputStage, accept, accept_with_lookahead
from .layouts import OFFSET_WIDTH, input_beat, output_beat
from .packing import Packed, in_place, pack
from .physical import TUNED, Policy
from .pipeline import Plan, Timed
from .report import first_error
from .reset import Restart
from .stages import about

__all__ = ["Transcoder"]


class Transcoder(wiring.Component):
    """Units of one encoding in, units of another out, ``lanes`` units per cycle; or a check of units that pass through.

    One beat per cycle under any pattern of stalls. What is ill-formed becomes U+FFFD, or with ``errors="drop"``
    nothing; the packet's first error is reported with its last beat.

    One cycle of the clock domain's reset is enough, in any state: from its rising edge on ``i.ready`` and ``o.valid``
    are low for :attr:`start_cycles`, and nothing of before ever comes out.

    Members
    -------
    i : input stream of :func:`~runewire_rtl.layouts.input_beat`
    o : output stream of :func:`~runewire_rtl.layouts.output_beat`, with `item_bytes` bytes on the bus for each of its
        lanes: a unit of the target, or where the input passes through each of its bytes. With ``packing="dense"`` every
        beat is full but a packet's last; with ``"sparse"``, and where the input passes through, a beat comes for each
        input beat.
    """

    def __init__(
        self, parameters: TranscoderParameters, tail: Callable[..., Packed] | None = None,
        offset_width: int = OFFSET_WIDTH, policy: Policy = TUNED,
    ) -> None:
        """``tail``: what takes units and report to the output, in place of `pack` or `in_place`: so that a core can be
        cut open there. ``offset_width``: bits of the report's offset. ``policy``: where copies stand."""
        self.parameters = parameters
        self._tail = tail or (in_place if parameters.in_place else pack)
        self._offset_width = offset_width
        self._policy = policy
        passes = parameters.target is None
        self.item_bytes = 1 if passes else parameters.writes.unit_bytes
        width = 8 if passes else BACK_ENDS[parameters.writes.name].width
        super().__init__({
            "i": In(input_beat(parameters.lanes, parameters.reads.unit_bytes)),
            "o": Out(output_beat(parameters.output_bytes // self.item_bytes, width)),
        })

    def build(self, m: Module, restart: Restart) -> Packed:
        """Describe the core in ``m``, from its input stream to its tail, but for ``i.ready`` and ``o.valid``."""
        parameters = self.parameters
        kind = FRONT_ENDS[parameters.source]
        plan = Plan.of(parameters.pipeline)
        if kind.lookahead:
            entry = accept_with_lookahead(m, self.i, plan, restart, kind.absent, self._policy)
        else:
            entry = accept(m, self.i, plan, restart, self._policy)
        front = kind(entry)
        if parameters.target is None:
            units, faults = self._passed(entry), front.faults()
        else:
            # In place nothing is written without a beat, so it does not matter what is present then.
            keep = entry.there if parameters.in_place else entry.kept
            drop, strip = parameters.errors == "drop", parameters.bom == "strip"
            fused = PAIRS.get((parameters.source, parameters.target))
            if fused is not None:
                units, faults = fused(entry, keep, drop=drop, strip=strip), front.faults()
            else:
                text = front.scalars(keep, drop=drop, strip=strip)
                units = BACK_ENDS[parameters.target](parameters.slots, drop=drop).units(text)
                faults = front.faults()
                if units.unfit is not None and parameters.narrows:
                    faults = merge_faults(units.unfit, faults, text.back())
        report = first_error(entry.pipeline, faults, self._offset_width)
        return self._tail(entry, self.o, units.present, units.data, report)

    def _passed(self, entry: InputStage) -> Units:
        """The input's bytes, in the order in which they come."""
        keep = [bit for value in entry.keep.beat() for bit in value.parts(1)]
        data: list[Timed] = []
        for value in entry.data.beat():
            parts = value.parts(8)
            data += parts if self.parameters.reads.byte_order == "little" else reversed(parts)
        return Units(keep, lambda after: data)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        source, target = self.parameters.reads, self.parameters.writes
        does = f"{source} checked" if self.parameters.target is None else f"{source} to {target}"
        about(m, "core", f"{does}: the stages, and how they are joined.")
        m.submodules.drain = drain = Drain()
        packed = self.build(m, drain.restart)
        drain.latency = packed.timing.latency
        m.d.comb += [
            self.i.ready.eq(packed.buffer.accept & drain.open),
            self.o.valid.eq(packed.buffer.offer & drain.open),
        ]
        return m

    @cached_property
    def timing(self) -> Timing:
        """What the cycle model needs to know of the core."""
        m = Module()
        packed = self.build(m, Restart.never())
        Fragment.get(m, None)
        return packed.timing

    @property
    def latency(self) -> int:
        """Cycles from the transfer of a packet's last input beat to the offer of its last output beat."""
        return self.timing.latency

    @property
    def start_cycles(self) -> int:
        """Cycles from the last one in reset to the first in which ``i.ready`` may be high."""
        return start_cycles(self.latency)
