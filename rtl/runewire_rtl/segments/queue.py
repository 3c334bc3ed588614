"""Queue: beats with their carried bytes wait in rows until the rest of the core takes them.

A decoder of eight lanes, whose row has 168 bits, and a stall of its output. Beats under way, at most:

    without the queue      44     so the decoder's buffer needs 64 rows of 168 bits
    with it                25     before the queue's read, in 32 rows of 64 bits
                           31     behind it, in the decoder's 32 rows

The queue is a buffer like the one at a core's output: the carry is a core before the rest, with credits of its own. It
pays where rows of the output are wide. Throughput: one beat per cycle. Latency: about ten cycles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from amaranth.hdl import Cat, Const, Module, Value
from amaranth.lib import data, stream
from runewire_model import Encoding, Timing
from runewire_model.report import Sidebands

from ..buffer.output_buffer import OutputBuffer
from ..input.input_stage import Arrival, Beat, InputPort, enter_pipeline
from ..packing.packing import in_place
from ..pipeline import Timed
from ..pipeline.restart import Restart
from ..pipeline.stages import Stage, about, summary
from ..stream_shapes import input_beat
from .rotation import Carried
from .segment_beats import in_bus_order


class Queue(NamedTuple):
    """``stream``: the beats for the rest of the core, which drives its `ready`. ``buffer``: the rows; the port takes
    beats against its credits. ``timing``: from the port to the stream."""

    stream: Any
    buffer: OutputBuffer
    timing: Timing


def queue_beats(port: InputPort, carried: Carried, reads: Encoding, sidebands: Sidebands) -> Queue:
    """Beats with their carried bytes wait in rows until the rest of the core takes them."""
    inside = Module()
    port.m.submodules.queue = inside
    about(inside, "queue", summary(queue_beats))
    given = carried.stream.payload
    size, members = len(given.keep), given.shape().members
    flags = {name: len(given[name]) for name in ("mark", "adds", "begun", "order") if name in members}
    beats = input_beat(size, 1, sidebands, flags=flags).create(path=("carried",))
    units = [Value.cast(unit) for unit in given.data]
    inside.d.comb += [
        beats.valid.eq(carried.stream.valid), beats.ready.eq(1),
        Value.cast(beats.payload.data).eq(in_bus_order(units, reads.byte_order)),
        *(beats.payload[name].eq(given[name]) for name in members if name != "data")]
    beat = Beat.like(beats.payload, "in")
    inside.d.comb += [
        beat.valid.eq(beats.valid), beat.last.eq(beats.payload.last), Cat(beat.keep).eq(beats.payload.keep),
        Cat(beat.data).eq(beats.payload.data), *(value.eq(beats.payload[name]) for name, value in beat.beside.items())]
    own = replace(port, m=inside, restart=Restart(Const(0), port.restart.clear))
    stage = Stage(inside, "input_stage", "The beats with their carried bytes.")
    entry = enter_pipeline(own.pipeline(stage, beat, beat.valid), [*beat.data],
                           Arrival(beat, carried.accepted, carried.latency), carried.lookahead)

    end = {"user": sidebands.input_user, **flags}
    row = stream.Signature(data.StructLayout({
        "data": data.ArrayLayout(8, size), "keep": size, "last": 1, "report": data.StructLayout(end), **sidebands.tags,
    })).create(path=("queued",))
    values = [value for value in (entry.user, entry.pipeline.mark, entry.adds, entry.begun, entry.order)
              if value is not None]
    report = Timed(entry.pipeline, 0, Cat(value.at(0) for value in values), "flags")
    packed = in_place(entry, row, entry.keep.beat(), lambda after: entry.data.beat(), report)

    rest = carried.stream.signature.create(path=("queue",))
    octets = Value.cast(row.payload.data)
    unit_bits = 8 * reads.unit_bytes
    port.m.d.comb += [
        rest.valid.eq(packed.buffer.offer), row.ready.eq(rest.ready),
        Value.cast(rest.payload.data).eq(in_bus_order(
            [octets.word_select(unit, unit_bits) for unit in range(len(units))], reads.byte_order)),
        *(rest.payload[name].eq(row.payload.report[name] if name in end else row.payload[name])
          for name in members if name != "data")]
    return Queue(rest, packed.buffer, packed.timing)
