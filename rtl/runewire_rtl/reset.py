"""How the parts of a core come to their first values, enabled or not."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Signal, Value

from .roles import CLEAR, role

__all__ = ["Restart", "near"]


@dataclass(frozen=True)
class Restart:
    """What a `Drain` tells the parts of a core: ``flush`` makes the input stage send empty packets, ``clear`` holds
    registers at their first value. Both are constant 0 where registers have their first values and are never reset."""

    flush: Value
    clear: Value

    @classmethod
    def never(cls) -> Restart:
        return cls(Const(0), Const(0))


def near(m: Module, clear: Value, name: str) -> Value:
    """A copy of ``clear``, a cycle later, for registers that stand together; synthesis does not merge it with others.

    Where flip-flops let their enable gate their reset (iCE40), the two meet in a gate before the enable: so the copy is
    a register, and near by.
    """
    if isinstance(clear, Const):
        return clear
    copy = Signal(name=name, init=1, reset_less=True, attrs={"keep": True, **role(CLEAR)})
    m.d.sync += copy.eq(clear)
    return copy
