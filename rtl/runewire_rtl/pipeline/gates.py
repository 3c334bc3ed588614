"""Gates that synthesis leaves gates.

In front of a register synthesis takes a multiplexer for more than a choice: ``Mux(flag, 0, value)`` for a reset,
``Mux(flag, value, register)`` for an enable. A reset or an enable is one net for all flip-flops of a slice or more; it
may be far from its source, and where an enable gates the reset as well (iCE40) it stands behind a gate of its own. A
function of ``&``, ``|`` and ``~`` stays in the look-up table that its bit has anyway. Four bits:

    Mux(flag, 0, value)    a register with a reset, and a net to it
    cleared(value, flag)   a look-up table a bit, of ``value`` and whatever it is made of, and ``flag``

Limits: each gate takes an input of its bit's look-up table. Where that has none left, a reset may be the better choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

from amaranth.hdl import Cat, Const, Mux, Value

__all__ = ["above", "chosen", "cleared", "emptied", "equal", "masked", "masked_bits", "replaced", "still"]


def masked(value: Value, flag: Value) -> Value:
    """``value`` where ``flag`` is set, else zero."""
    return value & flag.replicate(len(value))


def cleared(value: Value, flag: Value) -> Value:
    """``value`` unless ``flag`` is set, then zero."""
    return value & ~flag.replicate(len(value))


def emptied(value: Value, flag: Value) -> Value:
    """As `cleared`, with a reset where there is a register: for those that need no look-up table else."""
    return Mux(flag, 0, value)


def masked_bits(value: Value, flag: Value, bits: int) -> Value:
    """``value``, with the bits that are set in ``bits`` clear unless ``flag`` is set."""
    return Cat(bit & flag if bits >> index & 1 else bit for index, bit in enumerate(value))


def replaced(value: Value, constant: int, where: Value, elsewhere: Value | None = None) -> Value:
    """``constant`` where ``where`` is set, else ``value``. ``elsewhere``: not ``where``, if at hand."""
    keep = ~where if elsewhere is None else elsewhere
    return Cat(bit | where if constant >> index & 1 else bit & keep for index, bit in enumerate(value))


def chosen(flag: Value, yes: Value, no: Value) -> Value:
    """``yes`` where ``flag`` is set, else ``no``: both of one width, and either may be a constant."""
    return (yes & flag.replicate(len(yes))) | (no & (~flag).replicate(len(no)))


def still(flag: Value, holds: Value, valid: Value) -> Value:
    """What ``flag`` is next, if it stays set through each ``valid`` beat that ``holds``: without an enable."""
    return flag & (holds | ~valid)


def above(number: Sequence[Value], bound: int) -> Value:
    """Whether ``number`` (bits, lowest first) is more than ``bound``."""
    if not number:
        return Const(0)
    *lower, top = number
    half = 1 << len(lower)
    rest = above(lower, bound % half)
    return top & rest if bound >= half else top | rest


def equal(number: Sequence[Value], value: int) -> Value:
    """Whether ``number`` (bits, lowest first) is ``value``."""
    return reduce(and_, (bit if value >> index & 1 else ~bit for index, bit in enumerate(number)))
