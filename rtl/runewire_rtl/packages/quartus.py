"""Quartus: a component of Platform Designer with AXI4-Stream interfaces, and constraints (SDC)."""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..ports import ports
from ..verilog import top_name
from .base import Package, buses, clock, numbers, reset, sdc, title


def component(parameters: TranscoderParameters) -> str:
    """The text of the component description, ``_hw.tcl``."""
    top, table = top_name(parameters), ports(parameters)
    aclk, aresetn = clock(table).name, reset(table).name
    interfaces = []
    for bus in buses(parameters):
        interfaces.append(f"""
add_interface {bus.name} axi4stream {"end" if bus.slave else "start"}
set_interface_property {bus.name} associatedClock {aclk}
set_interface_property {bus.name} associatedReset {aresetn}
""" + "".join(f"add_interface_port {bus.name} {port.name} {signal} {port.direction.capitalize()} {port.width}\n"
              for signal, port in bus.signals.items()))
    return f"""\
# {top} as a component of Platform Designer: its folder belongs to the IP search path.
# SPDX-License-Identifier: Apache-2.0

package require -exact qsys 16.1

set_module_property NAME {top}
set_module_property VERSION {numbers(3)}
set_module_property DISPLAY_NAME "{top}"
set_module_property DESCRIPTION "{title(parameters)}"
set_module_property GROUP runewire
set_module_property INTERNAL false
set_module_property EDITABLE false
set_module_property INSTANTIATE_IN_SYSTEM_MODULE true

add_fileset QUARTUS_SYNTH QUARTUS_SYNTH "" ""
set_fileset_property QUARTUS_SYNTH TOP_LEVEL {top}
add_fileset_file {top}.v VERILOG PATH {top}.v TOP_LEVEL_FILE
add_fileset SIM_VERILOG SIM_VERILOG "" ""
set_fileset_property SIM_VERILOG TOP_LEVEL {top}
add_fileset_file {top}.v VERILOG PATH {top}.v

add_interface {aclk} clock end
add_interface_port {aclk} {aclk} clk Input 1

add_interface {aresetn} reset end
set_interface_property {aresetn} associatedClock {aclk}
set_interface_property {aresetn} synchronousEdges BOTH
add_interface_port {aresetn} {aresetn} reset_n Input 1
{"".join(interfaces)}"""


def _files(parameters: TranscoderParameters) -> dict[str, str]:
    return {f"{top_name(parameters)}_hw.tcl": component(parameters), **sdc(parameters)}


PACKAGE = Package("Quartus: a component of Platform Designer, and constraints", _files)
