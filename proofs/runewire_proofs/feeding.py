"""A core's own description with free inputs instead of some of its values.

Nothing is modelled a second time: the core's ``build`` runs, with its own parameters. Where a part begins, a port
replaces a value at the value's own step; where it ends, a value is shown at a port. So every register of the part is
where it is in the core.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from runewire_model import TranscoderParameters
from runewire_rtl.buffer.output_buffer import OutputBuffer
from runewire_rtl.compact import Compact
from runewire_rtl.compact.core import tail_of as compact_tail_of
from runewire_rtl.cut_points import cut_point
from runewire_rtl.input.input_stage import InputStage, beside
from runewire_rtl.packing.packing import Items
from runewire_rtl.pipeline import Pipeline, Timed
from runewire_rtl.stream_shapes import OFFSET_WIDTH
from runewire_rtl.transcoder import Report, Transcoder, tail_of

from .ports import Ports


@dataclass(frozen=True)
class End:
    """What comes to the end of a core's pipeline, for the function that leads it to the ``output``: the units, of which
    ``present`` says where they are, report and record flags."""

    entry: InputStage
    output: Any
    present: Sequence[Timed]
    items: Items
    report: Report
    marks: Sequence[Timed] = ()


Tail = Callable[[End, Callable[[End], Any]], Any]
"""A replacement of that function, which it gets as well."""


class BufferPorts(OutputBuffer):
    """An output buffer that is its ports, with nothing inside."""

    def elaborate(self, platform: object) -> Module:
        return Module()


def build(
    ports: Ports, parameters: TranscoderParameters, tail: Tail, *, offset_width: int = OFFSET_WIDTH,
    advance: Signal | None = None,
) -> Any:
    """Build the core into the part's module, with ``tail`` instead of its own, and return what that makes.

    Input ports that are there by then drive the core's input. ``advance``: the enable of a compact core's pipeline.
    """
    compact = parameters.pipeline == "compact"
    core: Any = (Compact if compact else Transcoder)(parameters, offset_width)
    if advance is not None:
        core.advance = advance
    given = ports.signals
    if given:
        payload = core.packed.payload
        ports.m.d.comb += [
            core.packed.valid.eq(given["i_valid"]), core.taken.ready.eq(1), payload.last.eq(given["i_last"]),
            payload.keep.eq(given["i_keep"]), payload.data.as_value().eq(given["i_data"]),
            *(value.eq(given["i_user"]) for name, value in beside(payload).items() if name == "user"),
            Cat(value for name, value in beside(payload).items() if name != "user").eq(given["i_tags"]),
        ]
    place = compact_tail_of if compact else tail_of
    with place.replaced(lambda sound: lambda parameters: partial(_at_end, tail, sound(parameters))):
        return core.cut_open(ports.m)


def _at_end(tail: Tail, sound: Callable[..., Any], *values: Any, marks: Sequence[Timed] = ()) -> Any:
    def led(end: End) -> Any:
        # Only where rows are in place there are record flags.
        options = {"marks": end.marks} if end.marks else {}
        return sound(end.entry, end.output, end.present, end.items, end.report, **options)

    return tail(replace(End(*values), marks=marks), led)


def freed(pipeline: Pipeline, signal: Value, value: Timed) -> Timed:
    """``signal``, which comes at step 0, instead of ``value`` at its own step."""
    return Timed(pipeline, value.step, entered(pipeline, signal, value.name).at(value.step), value.name)


@cut_point
def entered(pipeline: Pipeline, signal: Value, name: str) -> Timed:
    """``signal`` at step 0, instead of the value of that ``name``."""
    return pipeline.enter(signal, f"{name}_free")


def free_items(pipeline: Pipeline, given: Callable[[int], Value], items: Items) -> Items:
    """Items at their own steps, each of what is ``given`` for its lane at step 0."""
    return lambda after: [freed(pipeline, given(lane), value) for lane, value in enumerate(items(after))]


def free_tags(ports: Ports, entry: InputStage) -> InputStage:
    """The input stage with a port ``tag`` instead of the tags of a packet."""
    tag = ports.new("tag", 1)
    return entry if entry.tags is None else replace(entry, tags=freed(entry.pipeline, tag, entry.tags))


def free_flags(pipeline: Pipeline, given: Value, flags: Sequence[Timed], there: Value | None = None) -> list[Timed]:
    """Bits of ``given``, at step 0, instead of one flag after another; clear unless ``there``."""
    return [freed(pipeline, given[index] if there is None else given[index] & there, flag)
            for index, flag in enumerate(flags)]


def free_beats(ports: Ports, pipeline: Pipeline) -> Signal:
    """Ports that say of step 0 whether a beat passes, ``go``, and whether it is its packet's last, ``go_last``."""
    go = ports.new("go", 1)
    pipeline.valid = pipeline.enter(go, "valid")
    pipeline.last = pipeline.enter(go & ports.new("go_last", 1), "last")
    return go
