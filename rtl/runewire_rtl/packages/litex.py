"""LiteX: a module with the core inside, whose buses are LiteX's stream endpoints."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..ports import ports
from ..verilog import top_name
from .base import Bus, Package, buses, clock, reset, title

MEMBERS = {"s_axis": "sink", "m_axis": "source", "m_report": "report", "m_records": "records", "m_rejects": "rejects"}
"""LiteX' names of the buses."""
TEXTS = {"m_report": "; a report of each at ``report``", "m_records": "; ill-formed records at ``records``",
         "m_rejects": "; rejected records at ``rejects``"}
"""What the class says about further buses."""
PARAMS = ("tid", "tdest")
"""Signals that are constant over a packet, LiteX' ``param``; all others are ``payload``."""
HANDSHAKE = {"tvalid": "valid", "tready": "ready", "tlast": "last"}


def module(parameters: TranscoderParameters) -> str:
    """The text of the Python module; its class has the top module's name in camel case."""
    top, table, found = top_name(parameters), ports(parameters), buses(parameters)
    endpoints = [f"        self.{MEMBERS[bus.name]} = stream.Endpoint(stream.EndpointDescription(\n"
                 f"            payload_layout={_layout(bus, False)}, param_layout={_layout(bus, True)}))"
                 for bus in found]
    links = [f"            i_{clock(table).name}=ClockSignal(clock_domain),",
             f"            i_{reset(table).name}=~ResetSignal(clock_domain),"]
    for bus in found:
        links += [f"            {port.direction[0]}_{port.name}=self.{MEMBERS[bus.name]}.{_member(signal)},"
                  for signal, port in bus.signals.items()]
    newline = "\n"
    return f'''\
"""{top} for LiteX: {title(parameters)}."""
# SPDX-License-Identifier: Apache-2.0

from pathlib import Path

from litex.gen import LiteXModule
from litex.soc.interconnect import stream
from migen import ClockSignal, Instance, ResetSignal

VERILOG = Path(__file__).with_name("{top}.v")


class {_class(top)}(LiteXModule):
    """Packets in at ``sink``, out at ``source``{"".join(TEXTS.get(bus.name, "") for bus in found)}. \
``platform``: takes the core's Verilog, if given."""

    def __init__(self, platform=None, clock_domain="sys"):
{newline.join(endpoints)}
        self.specials += Instance(
            "{top}",
{newline.join(links)}
        )
        if platform is not None:
            platform.add_source(str(VERILOG))
'''


def _layout(bus: Bus, params: bool) -> str:
    """The fields of an endpoint without its handshake, as LiteX expects them."""
    fields = [(_member(signal), port.width) for signal, port in bus.signals.items()
              if signal not in HANDSHAKE and (signal in PARAMS) is params]
    return "[" + ", ".join(f'("{name}", {width})' for name, width in fields) + "]"


def _member(signal: str) -> str:
    """An endpoint's name for a signal of the bus."""
    return HANDSHAKE.get(signal, signal.removeprefix("t"))


def _class(top: str) -> str:
    return "".join(word.capitalize() for word in top.split("_"))


PACKAGE = Package("LiteX: a module with stream endpoints",
                  lambda parameters: {f"{top_name(parameters)}_litex.py": module(parameters)})
