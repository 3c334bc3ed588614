"""Counters without carry chains, which would be the slowest paths of the cores."""

from __future__ import annotations

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value

__all__ = ["Thermometer", "incremented"]


def incremented(value: Value) -> Value:
    """``value + 1``, of the same width, as a gate a bit: for widths that one or two look-up tables take."""
    return Cat(value[bit] ^ value[:bit].all() for bit in range(len(value)))


class Thermometer(Elaboratable):
    """A counter in unary: bit ``i`` of ``level`` says that more than ``i`` are counted. No carry chain.

    The count changes by ``change`` (-1 to 2) each cycle; the caller keeps it within its size.
    """

    def __init__(self, size: int, *, init: int = 0) -> None:
        self.change = Signal(range(-1, 3))
        self.level = Signal(size, init=(1 << init) - 1)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        level = self.level
        with m.If(self.change.any()):
            m.d.sync += level.eq(Mux(self.change < 0, level[1:], Mux(self.change[1], Cat(1, 1, level), Cat(1, level))))
        return m
