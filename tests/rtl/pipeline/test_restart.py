"""Registers reach their first values by copies of one flag, or start with them."""

from amaranth.hdl import Const, Module, Signal
from runewire_rtl.pipeline.restart import Restart, replica


def test_a_copy_follows_a_cycle_later_and_clears_what_is_not_enabled(cycles) -> None:
    m = Module()
    clear = Signal()
    copy = replica(m, clear, "copy")
    count = Signal(4, init=1, reset_less=True)
    with m.If(count[0]):
        m.d.sync += count.eq(count + 2)
    with m.If(copy):
        m.d.sync += count.eq(count.init)
    seen = cycles(m, [[(clear, int(cycle in (5, 6)))] for cycle in range(10)], [copy, count])
    assert [value for value, _ in seen] == [1, 0, 0, 0, 0, 0, 1, 1, 0, 0]
    assert [number for _, number in seen] == [1, 1, 3, 5, 7, 9, 11, 1, 1, 3]


def test_where_nothing_is_reset_there_is_no_copy() -> None:
    never = Restart.never()
    for flag in (never.flush, never.clear):
        assert isinstance(flag, Const)
        assert flag.value == 0
        assert replica(Module(), flag, "copy") is flag
