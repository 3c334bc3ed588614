"""First error of a packet in a compact core: the beat counter is also the register of the reported number.

The counter stops at the first error, and continues with the next packet. Four lanes; the fault of beat 2 begins in lane
3 of the beat before:

    beat        0    1    2    3    next packet's 0
    fault       -    -    yes  -    -
    number      0    1    1    1    0                   after the beat
    lane        ?    ?    3    3    ?
    error       0    0    1    1    0
    offset                     7                        1 * 4 + 3, at the packet's last beat

A fault may begin up to three beats earlier, but nothing is subtracted from the number. The upper part only counts, and
needs an enable and no adder of its own. The lower part carries late, so it can always supply the distance of a fault.
One lane, a lower part of two bits and one bit more, ``ahead``, which carries where the lower part would be 6:

    beat        0    1    2    3    4    5    6    7    a fault in beat 8 that begins in beat 5
    upper       0    0    0    0    0    0    1    1    1
    lower       0    1    2    3    4    5    2    3    1

Limits: an offset that does not fit is all ones. Saturation of the upper part is detected one beat after it changes. It
never changes in two consecutive beats, except with a packet's first.
"""

from __future__ import annotations

from typing import NamedTuple

from amaranth.hdl import Cat, Mux, Signal, Value
from runewire_model.report import KIND_WIDTH

from ..cut_points import cut_point
from ..encodings.base import Faults
from ..pipeline import Pipeline, Timed, stage
from ..pipeline.gates import masked
from ..pipeline.register_roles import BEATS, FOUND, role
from ..report.first_error import any_fault, earliest


class OneFlow(NamedTuple):
    """Flags of beats of at most one byte, in a core with a single flow: the beat has a ``byte``, and the text has
    ``more`` packets."""

    byte: Timed
    more: Timed


@cut_point
@stage("report")
def kept_error(
    pipeline: Pipeline, faults: Faults, offset_width: int, amount: str, after: int, text: OneFlow | None = None,
) -> Timed:
    """The packet's first error so far, with each of its beats, right behind a register, at step ``after`` or later.

    ``offset_width`` and ``amount``: as in `first_error`. The value is a report only at the packet's last beat.
    ``text``: the error is the text's, not the packet's.
    """
    m = pipeline.m
    if amount == "flag":
        node = where = any_fault(pipeline, faults)
        index_width = 0
    else:
        node, where, index_width, back_width = earliest(pipeline, faults, located=amount == "full")
    step = pipeline.before_register(max(where.step, after - 1))
    found, kind = node.at(step)[0], node.at(step)[1 : 1 + KIND_WIDTH]
    valid, over = pipeline.valid.at(step), pipeline.over.at(step)

    begins = Signal(name="report_begins", init=1, reset_less=True)
    error = Signal(name="error_seen", reset_less=True)
    if text is not None:
        # A text begins with its first byte, and a packet need not end it.
        over = (over & ~text.more.at(step)) | (begins & ~text.byte.at(step))
    with m.If(valid):
        m.d.sync += [begins.eq(over), error.eq(found | (error & ~begins))]
    fields = [error]
    if amount != "flag":
        kept = Signal(len(kind), name="kind", reset_less=True, attrs=role(FOUND))
        with m.If(valid & (begins | ~error)):
            m.d.sync += kept.eq(kind)
        fields.append(masked(kept, error))
    if amount == "full":
        lane = Signal(index_width, name="lane", reset_less=True, attrs=role(FOUND))
        reach = -(-((1 << back_width) - 1) // faults.any.width)
        before = where.at(step)[index_width:][: reach.bit_length()]
        counts = valid & (begins | ~error) if text is None else valid & (begins | (text.byte.at(step) & ~error))
        low, high, beyond = _number(pipeline, offset_width - index_width, found, before, begins, counts)
        with m.If(counts):
            m.d.sync += lane.eq(where.at(step)[:index_width])
        fields += [masked(Cat(lane, low) | beyond.replicate(len(lane) + len(low)), error), masked(high, error)]
    return Timed(pipeline, step + 1, Cat(fields), "report")


def _number(
    pipeline: Pipeline, width: int, found: Value, before: Value, begins: Value, counts: Value,
) -> tuple[Signal, Signal, Signal]:
    """The number of a beat, after a register: its lower part, its upper part (``width`` bits together), and whether the
    number does not fit. It is the number of the last beat that ``counts``. If an error is ``found``, it is that number
    less ``before``. ``begins``: the beat is its packet's first."""
    m = pipeline.m
    # One beat lies between two carries, so the second carry is no less than the distance of a fault.
    bits = 2 if len(before) > 1 else 1
    low = Signal(bits, name="number_low", reset_less=True, attrs=role(BEATS, 0))
    high = Signal(width - bits, name="number_high", reset_less=True, attrs=role(BEATS, 1))
    ahead = Signal(name="number_ahead", reset_less=True)
    full, beyond = Signal(name="number_full", reset_less=True), Signal(name="number_beyond", reset_less=True)
    carry, behind = Signal(name="number_carries"), Signal(bits + 1, name="number_behind")
    after = Signal(width - bits + 1, name="number_high_behind")
    m.d.comb += [
        behind.eq(Cat(low, ahead) + 1 - masked(before, found)), after.eq(high + 1),
        carry.eq(behind[-1] & (found | behind[bits - 1]) if bits > 1 else behind[-1]),
    ]
    m.d.sync += full.eq(after[-1])
    with m.If(counts):
        m.d.sync += [low.eq(Mux(begins, 0, behind[:bits])), beyond.eq(Mux(begins, 0, beyond | (carry & full)))]
        if bits > 1:
            m.d.sync += ahead.eq(Mux(begins, 0, behind[-1] & ~carry))
    with m.If(counts & (begins | (carry & ~full))):
        m.d.sync += high.eq(Mux(begins, 0, after[:-1]))
    return low, high, beyond
