"""GsD ButterStick: text over its Ethernet port."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Elaboratable, Module, Signal
from amaranth.lib.cdc import ResetSynchronizer
from amaranth_boards.butterstick import ButterStickPlatform

from .liteeth_core import HZ, PADS
from .network import Network
from .pins import drive, sample
from .text_over_ethernet import TextOverEthernet

RESET_CYCLES = 1024
"""Cycles at 30 MHz for which the PHY, and all logic in its clock's domain, is in reset."""


class ButterStickTop(Elaboratable):
    """`TextOverEthernet` in the domain of the PHY's receive clock."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        rgmii = platform.request("eth_rgmii", 0, dir="-")
        platform.add_clock_constraint(rgmii.rx_clk.io, HZ)
        m.submodules.text = text = TextOverEthernet({name: getattr(rgmii, name).io for name in PADS},
                                                    self._network)
        m.domains.sync = ClockDomain()
        m.d.comb += ClockSignal().eq(text.clk)

        # The PHY may output no clock while it is in reset.
        m.domains.crystal = ClockDomain(reset_less=True, local=True)
        m.d.comb += ClockSignal("crystal").eq(sample(m, platform.request("clk30", 0, dir="-")))
        left = Signal(range(RESET_CYCLES + 1), init=RESET_CYCLES)
        reset = Signal(init=1)
        m.d.crystal += reset.eq(left != 0)
        with m.If(left != 0):
            m.d.crystal += left.eq(left - 1)
        drive(m, rgmii.rst, reset)
        m.submodules.reset = ResetSynchronizer(reset)
        return m


def design(network: Network) -> tuple[Any, ButterStickTop]:
    """The board, and its design with these settings."""
    return ButterStickPlatform(), ButterStickTop(network)
