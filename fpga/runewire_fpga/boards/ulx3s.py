"""Radiona ULX3S: text over its USB serial line."""

from __future__ import annotations

from typing import Any

import amaranth_boards.ulx3s
from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Instance, Module, Signal
from amaranth.lib.cdc import ResetSynchronizer

from .pins import drive, sample, synchronized
from .text_over_uart import TextOverUart
from .uart import BAUD

DIVISOR = 8
"""Cycles per bit: a clock of 24 MHz."""
OSCILLATOR = 24
"""Multiplier of the PLL: its oscillator has 600 MHz from a crystal of 25 MHz."""


class Ulx3sTop(Elaboratable):
    """`TextOverUart` at 24 MHz. Button FIRE 1 clears what the LEDs show."""

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        self._clock(m, platform)
        m.submodules.text = text = TextOverUart(DIVISOR, "ecp5")
        uart = platform.request("uart", 0, dir="-")
        m.d.comb += text.rx.eq(sample(m, uart.rx))
        drive(m, uart.tx, text.tx)
        synchronized(m, platform.request("button_fire", 0, dir="-"), text.clear)
        for number, value in enumerate([*text.kind, text.kind != 0, text.lost]):
            drive(m, platform.request("led", number, dir="-"), value)
        return m

    def _clock(self, m: Module, platform: Any) -> None:
        """The domain ``sync``, in reset until the PLL has locked."""
        m.domains.sync = ClockDomain()
        feedback = Signal()
        locked = Signal()
        divider = OSCILLATOR * int(platform.default_clk_frequency) // (DIVISOR * BAUD)
        m.submodules.pll = Instance(
            "EHXPLLL",
            p_CLKI_DIV=1, p_CLKFB_DIV=1, p_FEEDBK_PATH="CLKOP",
            p_CLKOP_ENABLE="ENABLED", p_CLKOP_DIV=OSCILLATOR, p_CLKOP_CPHASE=OSCILLATOR // 2,
            p_CLKOS_ENABLE="ENABLED", p_CLKOS_DIV=divider, p_CLKOS_CPHASE=0,
            i_CLKI=sample(m, platform.request("clk25", 0, dir="-")), i_CLKFB=feedback,
            i_RST=0, i_STDBY=0, i_ENCLKOP=0, i_ENCLKOS=0,
            i_PHASESEL0=0, i_PHASESEL1=0, i_PHASEDIR=0, i_PHASESTEP=0, i_PHASELOADREG=0, i_PLLWAKESYNC=0,
            o_CLKOP=feedback, o_CLKOS=ClockSignal(), o_LOCK=locked,
        )
        m.submodules.reset = ResetSynchronizer(~locked)


def design(size: str) -> tuple[Any, Ulx3sTop]:
    """The board with a device of that size, "12f", "25f", "45f" or "85f", and its design."""
    return getattr(amaranth_boards.ulx3s, f"ULX3S_{size.upper()}_Platform")(), Ulx3sTop()
