"""1BitSquared iCEBreaker: text over its USB serial line, LEDs on the section that breaks off."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Elaboratable, Module
from amaranth_boards.icebreaker import ICEBreakerPlatform

from .pins import drive, sample, synchronized
from .text_over_uart import TextOverUart
from .uart import BAUD


class IceBreakerTop(Elaboratable):
    """`TextOverUart` at the crystal's 12 MHz, 4 cycles per bit. The button clears what the LEDs show."""

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        m.submodules.text = text = TextOverUart(int(platform.default_clk_frequency) // BAUD, "ice40")
        uart = platform.request("uart", 0, dir="-")
        m.d.comb += text.rx.eq(sample(m, uart.rx))
        drive(m, uart.tx, text.tx)
        synchronized(m, platform.request("button", 0, dir="-"), text.clear)
        shown = {("led_r", 0): text.kind != 0, ("led_g", 0): text.kind == 0, ("led_r", 1): text.lost,
                 **{("led_g", 1 + bit): text.kind[bit] for bit in range(len(text.kind))}}
        for (name, number), value in shown.items():
            drive(m, platform.request(name, number, dir="-"), value)
        return m


def design() -> tuple[Any, IceBreakerTop]:
    """The board, with its section of LEDs and buttons, and its design."""
    platform = ICEBreakerPlatform()
    platform.add_resources(platform.break_off_pmod)
    return platform, IceBreakerTop()
