"""How the parts of a core come to their first values, enabled or not."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Signal, Value

from .register_roles import CLEAR, role

__all__ = ["Restart", "replica"]


@dataclass(frozen=True)
class Restart:
    """What a `Drain` tells the parts of a core: ``flush`` makes the input stage send packets of one beat, ``clear``
    holds registers at their first value. Both are constant 0 where registers have their first values and are never
    reset."""

    flush: Value
    clear: Value

    @classmethod
    def never(cls) -> Restart:
        return cls(Const(0), Const(0))


def replica(m: Module, clear: Value, name: str) -> Value:
    """A replica of ``clear``, a cycle later, for registers that stand together; synthesis merges it with no other.

    Where flip-flops let their enable gate their reset (iCE40), the two meet in a gate before the enable: so the replica
    is a register close to that gate.
    """
    if isinstance(clear, Const):
        return clear
    flag = Signal(name=name, init=1, reset_less=True, attrs={"keep": True, **role(CLEAR)})
    m.d.sync += flag.eq(clear)
    return flag
