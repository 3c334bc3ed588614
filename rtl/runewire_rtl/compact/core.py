"""Compact core: a global stall instead of buffer and credits, for low latency at a slower clock.

A validator of one lane. The packet ``41 42 43 44`` has a beat in each cycle, and the sink stalls in cycle 3:

    cycle              0    1    2    3    4    5    6    7
    input handshake    41   42   43   44   -    -    -    -
    ``i.ready``        1    1    1    1    0    1    1    1
    ``advance``        1    1    1    0    1    1    1    1
    ``o.ready``        1    1    1    0    1    1    1    1
    output                            41   41   42   43   44

``i.ready`` is a register, so it is still high in the cycle of the stall. The skid buffer holds ``44``, which the input
takes then, and ``i.ready`` is low one cycle later (`runewire_rtl.input.skid`).

Throughput: one beat per cycle while the sink is ready. A packet whose last beat ends two rows takes one cycle more.

Limits: ``o.ready`` leads to the enable of every register of the pipeline in one path, longer in wider cores. The layout
is `NAIVE`, without replicas, for every family.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data, stream
from runewire_model import CompactTiming, TranscoderParameters

from ..cut_points import cut_point
from ..encodings import FRONT_ENDS
from ..encodings.base import Faults
from ..input.input_stage import InputPort, InputStage, Lookahead, accept_offered, accept_offered_with_lookahead
from ..input.skid import Skid
from ..pipeline import Plan, Timed
from ..pipeline.layout_policy import NAIVE
from ..pipeline.restart import Restart
from ..report.counter_flags import Countable
from ..reset_sequencer import Drain
from ..segments.text_error import text_error
from ..stream_shapes import input_beat
from ..transcoder import Transcoder
from .packing import Arranged, in_place, pack
from .report import OneFlow, kept_error


@cut_point
def tail_of(parameters: TranscoderParameters) -> Callable[..., Arranged]:
    """The tail of a compact core, from units and report to the output."""
    if parameters.in_place:
        return partial(in_place, clean=parameters.target is None)
    return partial(pack, slots=parameters.slots, used=parameters.used_slots)


class Compact(Transcoder):
    """A `Transcoder` with a global stall: all registers share one enable, which is low while the output waits.

    One beat per cycle while the output is not stalled, and one more cycle for a packet whose last beat ends two rows.
    Members, payloads and reset are the same as in `Transcoder`.
    """

    def __init__(self, parameters: TranscoderParameters, offset_width: int | None = None) -> None:
        """``offset_width``: as in `Transcoder`."""
        super().__init__(parameters, offset_width, NAIVE)
        self.advance: Value | None = None
        """The enable of all registers of the pipeline; None if nothing waits."""

    def _port(self, m: Module, stream: Any, restart: Restart) -> InputPort:
        parameters = self.parameters
        # Data that passes through is zero in lanes that are not kept.
        clean = None if parameters.target else parameters.reads.byte_order
        return InputPort(m, stream, Plan.of(parameters.pipeline), restart, self._policy, self.advance, clean)

    def _accept(self, port: InputPort, ahead: int) -> InputStage:
        if ahead:
            return accept_offered_with_lookahead(port, Lookahead(
                FRONT_ENDS[self.parameters.source].absent, ahead,
                records=self.parameters.sidebands.records is not None))
        return accept_offered(port)

    def _report(
        self, entry: InputStage, faults: Faults | None, countable: Countable, tail: Timed | None = None,
    ) -> Callable[[int], Timed] | None:
        """The report so far, available with each beat at a step or later; None without a report."""
        sidebands, pipeline = self.parameters.sidebands, entry.pipeline
        parts = self._counts(countable)
        user = entry.user
        if user is not None:
            parts.append(user)
        if tail is not None:
            parts.append(tail)
        if not parts and faults is None:
            return None
        text = None
        if self._line:
            assert user is not None
            text = OneFlow(entry.keep[0], user.part(sidebands.user, 1))

        def told(after: int) -> Timed:
            after = pipeline.after_register(max([after, *(part.step for part in parts)]))
            fields = list(parts)
            if faults is not None:
                error = kept_error(pipeline, faults, self._offset_bits, sidebands.report, after, text)
                if sidebands.flows is not None and text is None:
                    error = text_error(entry, error, sidebands, self._forgetting)
                after = pipeline.after_register(error.step)
                bits = error.at(after)
                if user is not None and sidebands.user:
                    bad = user.at(after)[0]
                    bits |= bad & pipeline.last.at(after) if sidebands.early else bad
                fields = [Timed(pipeline, after, bits, error.name), *parts]
            return Timed(pipeline, after, Cat(field.at(after) for field in fields), "report")

        return told

    def _tail(self) -> Callable[..., Arranged]:
        return tail_of(self.parameters)

    def build(self, m: Module, restart: Restart) -> Any:
        self._insert_beats(m, restart)
        given, output, passed = self._narrowed(m)
        m.d.comb += [output.valid.eq(given.valid), output.payload.eq(given.payload)]
        return self._describe(m, passed, restart)

    def _join(self, m: Module, drain: Drain) -> CompactTiming:
        restart = drain.restart
        self._insert_beats(m, restart)
        given, output, passed = self._narrowed(m)
        m.submodules.skid = skid = Skid(given, output)
        m.d.comb += self.taken.ready.eq(given.ready)
        self.advance = advance = Signal(name="advance")
        made = self._describe(m, passed, restart)
        offer, ready = Signal(name="offer"), Signal(name="row_leaves")
        held = Const(0)
        if self.row is not self.o:
            held = self.hold_back(m, drain)
        m.d.comb += [
            offer.eq(made.offer & drain.open), self.o.valid.eq(offer & ~held), ready.eq(~offer | self.row.ready),
            advance.eq(ready if made.row is None else made.row.advance),
            skid.advance.eq(advance & passed.ready if self._line else advance), skid.open.eq(self._open(drain.open)),
        ]
        if made.row is not None:
            m.d.comb += [made.row.ready.eq(ready), made.row.open.eq(drain.open)]
        time: CompactTiming = made.timing
        return time

    def _narrowed(self, m: Module) -> tuple[Any, Any, Any]:
        """Three streams: taken beats and beats at the pipeline, both reduced to the bits that the front end
        distinguishes, and the beats at the pipeline with all their bits."""
        parameters, taken = self.parameters, self.taken
        whole = input_beat(parameters.lanes, parameters.reads.unit_bytes, parameters.behind.sidebands,
                           marks=bool(parameters.mark), flags=self._flags)
        passed = whole.create()
        units = [Value.cast(unit) for unit in taken.payload.data]
        # With flows, bytes of different units may become one.
        if parameters.target is not None and parameters.sidebands.flows is None:
            units = [FRONT_ENDS[parameters.source].narrowed(unit) for unit in units]
        members = {name: field.shape for name, field in passed.payload.shape()}
        beside = [name for name in members if name != "data"]
        narrow = stream.Signature(data.StructLayout(members | {"data": data.ArrayLayout(len(units[0]), len(units))}))
        given = narrow.create()
        output = narrow.create()
        for target, source, values in ((given, taken, units), (passed, output, output.payload.data)):
            m.d.comb += [
                target.valid.eq(source.valid),
                *(Value.cast(unit).eq(Value.cast(value))
                  for unit, value in zip(target.payload.data, values, strict=True)),
                *(Value.cast(target.payload[name]).eq(Value.cast(source.payload[name])) for name in beside),
            ]
        return given, output, passed
