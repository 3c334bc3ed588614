"""Counters without carry chains, which would be the slowest paths of the cores."""

from __future__ import annotations

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value

__all__ = ["Thermometer", "incremented"]


LOAD = 16
"""Bits of a counter that share one clock enable."""


def incremented(value: Value) -> Value:
    """``value + 1``, of the same width, as a gate a bit: for widths that one or two look-up tables take."""
    return Cat(value[bit] ^ value[:bit].all() for bit in range(len(value)))


class Thermometer(Elaboratable):
    """A counter in unary: bit ``i`` of ``level`` says that more than ``i`` are counted. No carry chain.

    The count changes by ``change``, -1 to ``most`` (1 or 2), each cycle; the caller keeps it within its size. A change
    shows two cycles later: what it comes to is decided in registers by then.
    """

    def __init__(self, size: int, *, init: int = 0, most: int = 1) -> None:
        self.change = Signal(range(-1, most + 1))
        self.level = Signal(size, init=(1 << init) - 1)
        self._most = most

    def elaborate(self, platform: object) -> Module:
        m = Module()
        size, level, change = len(self.level), self.level, self.change
        # Nothing counts while reset is held, which clears these too.
        less, twice = Signal(reset_less=True), Signal(reset_less=True)
        m.d.sync += [less.eq(change < 0), twice.eq(change == 2)]
        changed = Mux(less, level[1:], Cat(1, level))
        if self._most == 2:
            changed = Mux(twice, Cat(1, 1, level), changed)
        for first in range(0, size, LOAD):
            part = slice(first, first + LOAD)
            moves = Signal(name=f"moves{first}", reset_less=True, attrs={"keep": True})
            m.d.sync += moves.eq(change != 0)
            with m.If(moves):
                m.d.sync += level[part].eq(changed[part])
        return m
