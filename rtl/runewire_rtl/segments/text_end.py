"""End of each flow's text so far: the state from segment to segment.

Two segments of a flow, and the text's last three bytes after them, the last one first:

    segment       61 E2 82      AC
    text's end    82 E2 61      AC 82 E2

The state also has the number of the text's bytes, up to four, and the bytes of an incomplete unit. Where a byte order
mark sets the order, it has whether the text differs from the little-endian mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.utils import ceil_log2
from runewire_model.byte_order_mark import BYTE_ORDER_MARK

from ..pipeline import Pipeline, Timed
from ..pipeline.gates import cleared, masked
from .context import Context, Uses
from .extra_beats import MOST
from .segment_beats import Beats, Ending, Options

BEGUN = MOST + 1
"""Bytes of a text after which it has begun, whatever is carried."""


class TextEnd(NamedTuple):
    """``ending``: as its type says. ``size``: bit ``i``: the text has more than ``i`` bytes."""

    ending: Ending
    size: Timed


class _State(NamedTuple):
    """The parts of the state, as values or as bits of a word."""

    bytes: Value
    size: Value
    part: Value
    differs: Value

    @classmethod
    def of(cls, word: Value, part_bits: int) -> _State:
        at = 8 * MOST + BEGUN
        return cls(word[: 8 * MOST], word[8 * MOST : at], word[at : at + part_bits], word[at + part_bits :])


def text_end(beats: Beats, options: Options) -> tuple[TextEnd, TextEnd]:
    """The end of the flow's text before each beat, and after it."""
    pipe, keep, reads = beats.pipeline, beats.keep, options.reads
    part_bits, ordered = ceil_log2(reads.unit_bytes), len(reads.orders) > 1
    tail = [_tail(beats, back) for back in range(MOST)]
    rest = _rest(beats, reads.unit_bytes)
    marks = _like_mark(beats, reads.orders[-1].pack([BYTE_ORDER_MARK])) if ordered else []
    ends = pipe.step("segment_ends", lambda last: last, beats.last)
    closes = pipe.step("closes", lambda last, more: last & ~more, beats.last, beats.more)
    known = max(closes.step, *(value.step for value in (*tail, *rest, *marks)))
    context = Context(pipe, "text_end", 8 * MOST + BEGUN + part_bits + ordered,
                      Uses(beats.first, pipe.valid, ends, beats.flow), known, options.forgetting)
    step = context.step
    own = _State.of(context.before.at(step), part_bits)
    kept = [keep.at(step)[place] if place < beats.size else Const(0, 1) for place in range(BEGUN)]
    size = [Const(1, 1), *own.size]
    new = _State(
        _moved(own.bytes, [value.at(step) for value in tail], kept),
        Cat(size[count] | reduce(or_, (size[count - added] & kept[added - 1] for added in range(1, count + 1)))
            for count in range(1, BEGUN + 1)),
        (own.part + Cat(value.at(step) for value in rest))[:part_bits],
        Cat(own.differs | reduce(or_, (size[count] & ~size[count + 1] & ~like.at(step)
                                       for count, like in enumerate(marks)))) if ordered else Cat())
    after = Signal(len(Cat(*own)), name="text_end_after")
    pipe.m.d.comb += after.eq(cleared(Cat(*new), closes.at(step)))
    context.set(after)
    found = []
    for name, value in (("before", context.before), ("after", Timed(pipe, step, after, "text_end_after"))):
        word = pipe.step(f"{name}_text", lambda value: value, value)
        step = word.step
        parts = _State.of(word.at(step), part_bits)
        little = parts.size[reads.unit_bytes - 1] & ~parts.differs if ordered else Const(
            reads.byte_order == "little", 1)
        timed = [Timed(pipe, step, _named(pipe, f"{name}_{what}", value), f"{name}_{what}") for what, value in
                 (("bytes", parts.bytes), ("part", parts.part if part_bits else Const(0, 1)), ("little", little),
                  ("text_size", parts.size))]
        found.append(TextEnd(Ending(*timed[:3]), timed[3]))
    return found[0], found[1]


def _named(pipe: Pipeline, name: str, value: Value) -> Signal:
    signal = Signal(len(value), name=name)
    pipe.m.d.comb += signal.eq(value)
    return signal


def _moved(own: Value, tail: Sequence[Value], kept: Sequence[Value]) -> Value:
    """The last three bytes after a beat with these flags of its bytes, of which ``tail`` are the last."""
    some = [~kept[0], *(kept[count - 1] & ~kept[count] for count in range(1, MOST)), kept[MOST - 1]]
    old = [own.word_select(place, 8) for place in range(MOST)]
    return Cat(reduce(or_, (masked([*tail[:count], *old][place], some[count]) for count in range(MOST + 1)))
               for place in range(MOST))


def _tail(beats: Beats, back: int) -> Timed:
    """The beat's kept byte ``back`` bytes before its last one."""
    pipe, size = beats.pipeline, beats.size
    if back >= size:
        return Timed(pipe, 0, Const(0, 8), "absent")
    ends = [pipe.step(f"ends{back}_at{place}", lambda keep, place=place: keep[place] & ~(
        keep[place + 1] if place + 1 < size else Const(0, 1)), beats.keep) for place in range(back, size)]
    return _any(pipe, f"tail{back}", [pipe.step(
        f"tail{back}_at{place}", lambda data, *ends, place=place: reduce(or_, (
            masked(data.word_select(place + which - back, 8), end) for which, end in enumerate(ends))), beats.data,
        *ends[place - back : place - back + 2]) for place in range(back, size, 2)])


def _any(pipe: Pipeline, name: str, values: list[Timed]) -> Timed:
    """The bits that any of the values has, four of them at each step."""
    while len(values) > 1:
        values = [pipe.step(f"{name}_of{len(values)}_{first}", lambda *some: reduce(or_, some),
                            *values[first : first + 4]) for first in range(0, len(values), 4)]
    return values[0]


def _rest(beats: Beats, unit: int) -> list[Timed]:
    """The number of the beat's bytes modulo the bytes of a ``unit``, as bits, lowest first."""
    pipe = beats.pipeline
    found = []
    for bit in range(ceil_log2(unit)):
        # A unit with so many bytes has the bit set.
        counts = [count for count in range(1, unit) if count >> bit & 1]
        found.append(_any(pipe, f"rest{bit}", [pipe.step(
            f"rest{bit}_at{first}", lambda keep, first=first, counts=counts: reduce(or_, (
                keep[first + count - 1] & ~keep[first + count] for count in counts)), beats.keep)
            for first in range(0, beats.size, unit)]))
    return found


def _like_mark(beats: Beats, mark: bytes) -> list[Timed]:
    """For each number of bytes before the beat, whether its kept bytes continue the ``mark``, as far as that goes."""
    pipe = beats.pipeline

    def like(keep: Value, data: Value, before: int) -> Value:
        pairs = list(enumerate(mark[before:]))[: beats.size]
        return reduce(and_, (~keep[place] | (data.word_select(place, 8) == octet) for place, octet in pairs))

    return [pipe.step(f"like_mark_after{before}", lambda keep, data, before=before: like(keep, data, before),
                      beats.keep, beats.data) for before in range(len(mark))]
