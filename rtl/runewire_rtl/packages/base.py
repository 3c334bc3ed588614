"""Common parts of all packages: a core's names, its ports grouped into buses, and the files that a package writes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runewire_model import TranscoderParameters, __version__

from ..ports import Port, ports
from ..verilog import top_name
from ..verilog.package import Package

__all__ = ["Bus", "Package", "buses", "clock", "constraint", "numbers", "reset", "sdc", "title"]


PERIOD = "4.000"
"""Clock period in ns of the constraint, 250 MHz; the user may set another."""
OUTSIDE = "1.600"
"""Part of the period, in ns, that paths outside the core may take at each port: two fifths. The user may set
another."""


class Bus(NamedTuple):
    """An AXI4-Stream interface of a core: ``s_axis``, ``m_axis``, ``m_report``, ``m_records`` or ``m_rejects``.

    ``signals``: its ports by the names in the standard, for example ``tdata``. ``slave``: whether it receives beats.
    """

    name: str
    slave: bool
    signals: Mapping[str, Port]


def clock(table: Sequence[Port]) -> Port:
    """The clock port."""
    return table[0]


def constraint(parameters: TranscoderParameters) -> str:
    """The clock constraint, the same text in SDC and XDC."""
    name = clock(ports(parameters)).name
    return (f"# Clock of {top_name(parameters)}: the period in ns is yours to set.\n"
            "# SPDX-License-Identifier: Apache-2.0\n"
            f"create_clock -name {name} -period {PERIOD} [get_ports {name}]\n")


def sdc(parameters: TranscoderParameters) -> dict[str, str]:
    """A file of SDC constraints, by its name: the clock, and the delay of paths outside the core at its ports."""
    top, (aclk, *table) = top_name(parameters), ports(parameters)
    lines = ["# All ports are synchronous to it. What their paths take outside, in ns, is yours to set too."]
    for direction in ("input", "output"):
        names = " ".join(port.name + ("[*]" if port.width > 1 else "") for port in table if port.direction == direction)
        lines.append(f"set_{direction}_delay -clock {aclk.name} {OUTSIDE} [get_ports {{{names}}}]")
    return {f"{top}.sdc": constraint(parameters) + "\n".join([*lines, ""])}


def reset(table: Sequence[Port]) -> Port:
    """The reset port; it is active low."""
    return table[1]


def buses(parameters: TranscoderParameters) -> list[Bus]:
    """The AXI4-Stream interfaces of a core, in the order of its ports."""
    found: dict[str, dict[str, Port]] = {}
    for port in ports(parameters)[2:]:
        bus, _, signal = port.name.rpartition("_")
        found.setdefault(bus, {})[signal] = port
    return [Bus(name, signals["tvalid"].direction == "input", signals) for name, signals in found.items()]


def numbers(count: int) -> str:
    """The first ``count`` numbers of the version, for tools that accept numbers only: ``0.2`` for 0.2.0.dev0."""
    return ".".join(re.findall(r"\d+", __version__)[:count])


def title(parameters: TranscoderParameters) -> str:
    """One line about a core: its function, and the units per cycle."""
    source, lanes = parameters.reads, parameters.lanes
    return f"{parameters.does}, {lanes} {source.unit}{'s' if lanes > 1 else ''} per cycle"
