"""The report of a packet's first error where registers are few: the counter of beats is what is reported.

It stops at the first error, and goes on with the next packet. Four lanes; the fault of beat 2 begins in lane 3 of the
beat before:

    beat        0    1    2    3    next packet's 0
    fault       -    -    yes  -    -
    number      1    2    1    1    1                   behind the beat
    lane        ?    ?    3    3    ?
    error       0    0    1    1    0
    offset                     7                        1 * 4 + 3, at the packet's last beat

Limits: an offset that does not fit is all ones. The number has a bit more than are reported, and stays where it can no
more be carried back into them.
"""

from __future__ import annotations

from amaranth.hdl import Cat, Mux, Signal
from runewire_model.report import KIND_WIDTH

from ..encodings.base import Faults
from ..gates import masked
from ..pipeline import Pipeline, Timed, stage
from ..report import any_fault, earliest
from ..roles import BEATS, FOUND, role

__all__ = ["kept_error"]


@stage("report")
def kept_error(pipeline: Pipeline, faults: Faults, offset_width: int, amount: str, after: int) -> Timed:
    """The packet's first error so far, with each of its beats, right behind a register, at step ``after`` or later.

    ``offset_width`` and ``amount`` as `first_error` has them. What it says with another than a last beat is not yet
    the report.
    """
    m = pipeline.m
    if amount == "flag":
        node = where = any_fault(pipeline, faults)
        index_width = 0
    else:
        node, where, index_width, _ = earliest(pipeline, faults, located=amount == "full")
    step = pipeline.before_register(max(where.step, after - 1))
    found, kind = node.at(step)[0], node.at(step)[1 : 1 + KIND_WIDTH]
    valid, over = pipeline.valid.at(step), pipeline.over.at(step)

    begins = Signal(name="report_begins", init=1, reset_less=True)
    error = Signal(name="error_seen", reset_less=True)
    with m.If(valid):
        m.d.sync += [begins.eq(over), error.eq(found | (error & ~begins))]
    fields = [error]
    if amount != "flag":
        kept = Signal(len(kind), name="kind", reset_less=True, attrs=role(FOUND))
        with m.If(valid & (begins | ~error)):
            m.d.sync += kept.eq(kind)
        fields.append(masked(kept, error))
    if amount == "full":
        bits = offset_width - index_width
        number = Signal(bits + 1, name="number", reset_less=True, attrs=role(BEATS, 0))
        lane = Signal(index_width, name="lane", reset_less=True, attrs=role(FOUND))
        borrowed = where.at(step)[index_width:]
        change, behind = Signal(max(1, len(borrowed)) + 1, name="change"), Signal(bits + 2, name="number_behind")
        signed = Cat(change, change[-1].replicate(len(number) - len(change)))
        m.d.comb += [change.eq(Mux(found, -borrowed, 1)), behind.eq(number + signed)]
        beyond = number[-1]
        # No distance is more than three beats.
        with m.If(valid & (begins | ~(error | (beyond & number[2])))):
            with m.If(begins):
                m.d.sync += number.eq(~found)
            with m.Else():
                m.d.sync += number.eq(behind[: len(number)])
            m.d.sync += lane.eq(where.at(step)[:index_width])
        fields += [masked(part | beyond.replicate(len(part)), error) for part in (lane, number[:bits])]
    return Timed(pipeline, step + 1, Cat(fields), "report")
