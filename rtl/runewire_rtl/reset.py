"""Reset of registers that an enable guards."""

from __future__ import annotations

from amaranth.hdl import Module, Signal

__all__ = ["fresh"]


def fresh(m: Module, name: str) -> Signal:
    """A register that reset sets, and that is clear from the second cycle after it on: what has an enable is
    brought to its first value by it, not by reset.

    Where flip-flops let their enable gate their reset (iCE40), the two meet in a gate before the enable. Reset comes
    from afar, this from near by: each neighbourhood has its own, which synthesis does not merge with the others.
    """
    flag = Signal(name=name, init=1, attrs={"keep": True})
    m.d.sync += flag.eq(0)
    return flag
