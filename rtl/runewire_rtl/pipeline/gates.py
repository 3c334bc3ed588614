"""Helpers that keep synthesis from inferring a reset or a clock enable.

Synthesis turns a multiplexer in front of a register into something else: ``Mux(flag, 0, value)`` into a reset,
``Mux(flag, value, register)`` into a clock enable. Either one is a net to all flip-flops of a slice or more, perhaps
far from its source. Where an enable gates the reset as well (iCE40), the reset has a gate of its own before it. A
function of ``&``, ``|`` and ``~`` stays in the look-up table that its bit needs anyway. Four bits:

    Mux(flag, 0, value)    a register with a reset, and a net to it
    cleared(value, flag)   one look-up table per bit, for the logic of ``value`` and for ``flag``

Limits: each gate takes one input of its bit's look-up table. Without a free input a reset may be the better choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Const, Mux, Value


def masked(value: Value, flag: Value) -> Value:
    """``value`` while ``flag`` is set, else zero."""
    return value & flag.replicate(len(value))


def cleared(value: Value, flag: Value) -> Value:
    """``value`` while ``flag`` is clear, else zero."""
    return value & ~flag.replicate(len(value))


def emptied(value: Value, flag: Value) -> Value:
    """The same as `cleared`, but a reset if a register follows: for registers without a look-up table of their own."""
    return Mux(flag, 0, value)


def masked_bits(value: Value, flag: Value, bits: int) -> Value:
    """``value``; while ``flag`` is clear, its bits in ``bits`` are zero."""
    return Cat(bit & flag if bits >> index & 1 else bit for index, bit in enumerate(value))


def replaced(value: Value, constant: int, where: Value, elsewhere: Value | None = None) -> Value:
    """``constant`` while ``where`` is set, else ``value``. ``elsewhere``: the complement of ``where``, if available."""
    keep = ~where if elsewhere is None else elsewhere
    return Cat(bit | where if constant >> index & 1 else bit & keep for index, bit in enumerate(value))


def chosen(flag: Value, yes: Value, no: Value) -> Value:
    """``yes`` while ``flag`` is set, else ``no``. Both have the same width; either may be a constant."""
    return (yes & flag.replicate(len(yes))) | (no & (~flag).replicate(len(no)))


def still(flag: Value, holds: Value, valid: Value) -> Value:
    """Next value of ``flag``, if it stays set through each ``valid`` beat with ``holds``: without a clock enable."""
    return flag & (holds | ~valid)


def above(number: Sequence[Value], bound: int) -> Value:
    """Whether ``number`` (bits, lowest first) exceeds ``bound``."""
    if not number:
        return Const(0)
    *lower, top = number
    half = 1 << len(lower)
    rest = above(lower, bound % half)
    return top & rest if bound >= half else top | rest


def equal(number: Sequence[Value], value: int) -> Value:
    """Whether ``number`` (bits, lowest first) equals ``value``."""
    return reduce(and_, (bit if value >> index & 1 else ~bit for index, bit in enumerate(number)))
