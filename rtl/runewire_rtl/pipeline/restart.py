"""Reset of a core's parts to their first values, with or without a clock enable."""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Const, Module, Signal, Value

from .register_roles import CLEAR, role


@dataclass(frozen=True)
class Restart:
    """The signals from a `ResetSequencer` to the parts of a core. ``flush``: the input stage sends packets of one beat.
    ``clear``: registers hold their first values. Both are constant 0 in a core whose registers start at these values
    and that is never reset."""

    flush: Value
    clear: Value

    @classmethod
    def never(cls) -> Restart:
        return cls(Const(0), Const(0))


def replica(m: Module, clear: Value, name: str) -> Value:
    """A replica of ``clear``, one cycle later, for registers that are placed together. Synthesis does not merge it.

    On devices whose enable gates the reset (iCE40), enable and reset meet in a gate before the enable. The replica is a
    register close to that gate.
    """
    if isinstance(clear, Const):
        return clear
    flag = Signal(name=name, init=1, reset_less=True, attrs={"keep": True, **role(CLEAR)})
    m.d.sync += flag.eq(clear)
    return flag
