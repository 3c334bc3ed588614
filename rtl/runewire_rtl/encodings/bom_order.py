"""Byte order marks of 2 and 4 bytes (Unicode chapter 3, D98 and D101): finds them, and swaps the bytes of little-endian
packets.

Units of two bytes arrive as big-endian numbers. Two lanes, and the packet ``FF FE 41 00 42 00``:

    beat               0           1
    unit               FFFE 4100   4200 -
    mark, swapped      yes  -      -    -      the first unit of the packet
    little             yes         yes         from then on, until the packet is over
    in order           FEFF 0041   0042 -

Limits: whether the packet is little-endian is available some steps after the units; the units wait.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Mux, Signal, Value
from runewire_model.byte_order_mark import BYTE_ORDER_MARK, swapped_mark

from ..pipeline import Broadcast, Lanes, Timed, stage
from ..pipeline.gates import cleared


def first_mark(units: Lanes, bits: int, cut: Callable[[], Lanes]) -> Lanes:
    """Flags a packet's first unit, of ``bits`` bits, if it is U+FEFF.

    ``cut``: makes the flags of units that lack bytes. Higher bits that ``units`` lack are zero.
    """
    parts = [Lanes.map(f"mark{low}", lambda c, low=low: c[low : low + 4] == BYTE_ORDER_MARK >> low & 15, units)
             for low in range(0, bits, 4)]
    found = [Lanes.map("mark_bits" if len(parts) == 4 else f"mark_half{at}", lambda *flags: Cat(flags).all(),
                       *parts[at : at + 4]) for at in range(0, len(parts), 4)]
    inside = Lanes.map("inside", lambda c: 1, units)

    def mark(*flags: Value) -> Value:
        *found, before, cut = flags
        return reduce(and_, found) & ~before & ~cut

    return Lanes.map("mark", mark, *found, inside.back(1), cut())


@stage("byte_order")
def in_order(data: Lanes, whole: Lanes, order: Timed | None = None) -> Lanes:
    """Units in the order that their packet's first tells: with their bytes the other way round if it is ``mark`` so.

    ``mark``: U+FEFF. ``order``: with flows, the order of the text before the packet: whether it is set, and whether it
    is little-endian.
    """
    pipeline = data.pipeline
    first, size = data[0], pipeline.policy.lut_inputs
    width = first.shape.width
    swapped = swapped_mark(width // 8)
    found = [
        pipeline.step(f"swapped_mark{low}",
                      lambda unit, low=low: unit[low : low + size] == swapped >> low & (1 << size) - 1, first)
        for low in range(0, width, size)
    ]
    while len(found) > 1:
        found = [
            pipeline.step(f"swapped_mark_of{len(found)}_{low}", lambda *some: Cat(some).all(), *found[low : low + size])
            for low in range(0, len(found), size)
        ]
    begun = Lanes.map("begun", lambda unit: 1, data).back(1)[0]
    begins = pipeline.step("begins", lambda begun, whole, valid: ~begun & whole & valid,
                           begun, whole[0], pipeline.valid)
    if order is None:
        return _turned(data, _little(begins, *found))
    begins = pipeline.step("begins_text", lambda begins, order: begins & ~order[0], begins, order)
    own = _little(begins, *found)
    return _turned(data, pipeline.step("little_text", lambda own, order: own | order.all(), own, order))


def _little(begins: Timed, found: Timed) -> Timed:
    """Whether a beat's packet is little-endian: from a first unit with ``found`` set until the packet ends."""
    pipeline = begins.pipeline
    step = pipeline.state_step(max(begins.step, found.step))
    little = Signal(name="little", reset_less=True)
    pipeline.m.d.sync += little.eq(cleared((found.at(step) & begins.at(step)) | little, pipeline.over.at(step)))
    return pipeline.step("little", lambda found, begins, little: (found & begins) | little, found, begins,
                         Timed(pipeline, step, little, "little_before"))


def _turned(data: Lanes, little: Timed) -> Lanes:
    """Units with their bytes swapped while ``little`` is set."""
    def turn(unit: Value, little: Value) -> Value:
        return Mux(little, Cat(unit[low : low + 8] for low in reversed(range(0, len(unit), 8))), unit)

    pipeline = data.pipeline
    flags = Broadcast("little_replica", little, len(data.values), tree=True)
    units = [pipeline.step(f"in_order_l{lane}", turn, unit, flags[lane]) for lane, unit in enumerate(data.values)]
    return Lanes(pipeline, "in_order", units, data.width)
