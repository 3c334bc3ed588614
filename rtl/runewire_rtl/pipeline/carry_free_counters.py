"""Counters without carry chains; a carry chain would be a core's slowest path."""

from __future__ import annotations

from amaranth.hdl import Cat, Elaboratable, Module, Mux, Signal, Value

from ..cut_points import cut_point
from .layout_policy import TUNED, Policy
from .register_roles import role
from .restart import replica
from .stages import about, summary


def incremented(value: Value) -> Value:
    """``value + 1`` in the same width, as one gate per bit: for widths of one or two look-up tables."""
    return Cat(value[bit] ^ value[:bit].all() for bit in range(len(value)))


class Thermometer(Elaboratable):
    """A counter in unary: bit ``i`` of ``level`` says that more than ``i`` are counted. No carry chain.

    Each cycle the count rises by the number of bits of ``up`` (1 or 2 of them) that are set, and falls by one if
    ``down`` is set. The caller keeps it in range. A change appears two cycles later, because it is decided in
    registers. ``clear`` holds the count at its first value. ``kind`` is the prefix of its registers' roles; "" gives
    them none.
    """

    def __init__(
        self, size: int, *, clear: Value, init: int = 0, most: int = 1, policy: Policy = TUNED,
        kind: str = "",
    ) -> None:
        self.clear = clear
        self.kind = kind
        self.policy = policy
        self.up = Signal(most)
        self.down = Signal()
        self.level = Signal(size, init=(1 << init) - 1, reset_less=True, attrs=role(kind, "level"))

    @cut_point
    def elaborate(self, platform: object) -> Module:
        m = Module()
        about(m, "counter", summary(Thermometer))
        size, level, up, down = len(self.level), self.level, self.up, self.down
        both, one = up.all(), up.xor()
        less, twice = (Signal(name=name, reset_less=True, attrs=role(self.kind, name)) for name in ("less", "twice"))
        m.d.sync += less.eq(down & ~up.any())
        changed = Mux(less, level[1:], Cat(1, level))
        if len(up) == 2:
            m.d.sync += twice.eq(both & ~down)
            changed = Mux(twice, Cat(1, 1, level), changed)
        for first in range(0, size, self.policy.enable_bits):
            part = slice(first, first + self.policy.enable_bits)
            moves = Signal(name=f"moves_from{first}", reset_less=True, attrs=self.policy.keep)
            m.d.sync += moves.eq(down ^ one if len(up) == 1 else (down ^ one) | both)
            with m.If(moves):
                m.d.sync += level[part].eq(changed[part])
            with m.If(replica(m, self.clear, f"clear_from{first}")):
                m.d.sync += level[part].eq(level.init >> first)
        return m
