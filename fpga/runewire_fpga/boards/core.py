"""A core in a board's design, as an instance of the Verilog that ``runewire generate`` writes."""

from __future__ import annotations

from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from runewire_model import TranscoderParameters
from runewire_rtl.ports import ports
from runewire_rtl.verilog import top_name, verilog_text


class GeneratedCore(wiring.Component):
    """A core with its AXI4-Stream ports (:func:`~runewire_rtl.ports.ports`), in the domain ``sync``.

    Its Verilog goes to the platform.
    """

    def __init__(self, parameters: TranscoderParameters) -> None:
        self.parameters = parameters
        self._ports = [port for port in ports(parameters) if port.name not in ("aclk", "aresetn")]
        flow = {"input": In, "output": Out}
        super().__init__({port.name: flow[port.direction](port.width) for port in self._ports})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        top = top_name(self.parameters)
        platform.add_file(f"{top}.v", verilog_text(self.parameters))
        m.submodules.core = Instance(
            top, i_aclk=ClockSignal(), i_aresetn=~ResetSignal(),
            **{f"{port.direction[0]}_{port.name}": getattr(self, port.name) for port in self._ports})
        return m
