"""Vivado: port attributes for IP Integrator, a packaging script, a clock constraint, and a script that places the core
alone.

Attributes follow UG994 ("List of Supported X_ Attributes"), commands UG835.
"""

from __future__ import annotations

from runewire_model import TranscoderParameters

from ..ports import ports
from ..verilog import top_name
from .base import Package, buses, clock, constraint, numbers, reset, title

AXIS = "xilinx.com:interface:axis:1.0"


def _attributes(parameters: TranscoderParameters) -> dict[str, str]:
    table, found = ports(parameters), buses(parameters)
    aclk, aresetn = clock(table).name, reset(table).name
    attributes = {
        aclk: _attribute(f"xilinx.com:signal:clock:1.0 {aclk} CLK",
                         f"ASSOCIATED_BUSIF {':'.join(bus.name for bus in found)}, ASSOCIATED_RESET {aresetn}"),
        aresetn: _attribute(f"xilinx.com:signal:reset:1.0 {aresetn} RST", "POLARITY ACTIVE_LOW"),
    }
    return attributes | {port.name: _attribute(f"{AXIS} {bus.name} {signal.upper()}")
                         for bus in found for signal, port in bus.signals.items()}


def _attribute(info: str, parameter: str = "") -> str:
    return f'(* X_INTERFACE_INFO = "{info}"' + (f', X_INTERFACE_PARAMETER = "{parameter}" *)' if parameter else " *)")


def _files(parameters: TranscoderParameters) -> dict[str, str]:
    top = top_name(parameters)
    return {f"{top}_package.tcl": _packager(parameters), f"{top}_synth.tcl": _synthesis(parameters),
            f"{top}.xdc": constraint(parameters)}


def _packager(parameters: TranscoderParameters) -> str:
    top = top_name(parameters)
    modes = " ".join(f"{bus.name} {'slave' if bus.slave else 'master'}" for bus in buses(parameters))
    return f"""\
# Packages {top} as an IP of Vivado: vivado -mode batch -source {top}_package.tcl -tclargs PART
# The IP is in the folder {top}_ip beside this file: add it to the project's ip_repo_paths.
# SPDX-License-Identifier: Apache-2.0

set here [file dirname [file normalize [info script]]]
if {{[llength $argv] != 1}} {{
    error "usage: vivado -mode batch -source {top}_package.tcl -tclargs PART"
}}
create_project -in_memory -part [lindex $argv 0] {top}
add_files -norecurse [file join $here {top}.v]
set_property top {top} [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir [file join $here {top}_ip] -vendor runewire -library cores \\
    -taxonomy /UserIP -import_files -set_current true -force
set core [ipx::current_core]
set_property name {top} $core
set_property version {numbers(2)} $core
set_property display_name {{{top}}} $core
set_property description {{{title(parameters)}}} $core
foreach {{bus mode}} {{{modes}}} {{
    set found [ipx::get_bus_interfaces $bus -of_objects $core]
    if {{[llength $found] != 1 || [get_property interface_mode $found] ne $mode}} {{
        error "the packager has not found the bus $bus, or not as a $mode"
    }}
    ipx::associate_bus_interfaces -busif $bus -clock aclk $core
}}
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
"""


def _synthesis(parameters: TranscoderParameters) -> str:
    top = top_name(parameters)
    return f"""\
# Places and routes {top} by itself: vivado -mode batch -source {top}_synth.tcl -tclargs PART
# Prints a row of a datasheet: LUT cells, flip-flops, LUT RAM cells, block RAM tiles, and the clock that it would hold.
# SPDX-License-Identifier: Apache-2.0

set here [file dirname [file normalize [info script]]]
if {{[llength $argv] != 1}} {{
    error "usage: vivado -mode batch -source {top}_synth.tcl -tclargs PART"
}}
set part [lindex $argv 0]
read_verilog [file join $here {top}.v]
read_xdc -mode out_of_context [file join $here {top}.xdc]
synth_design -mode out_of_context -top {top} -part $part
opt_design
place_design
phys_opt_design
route_design

proc cells {{name}} {{
    return [llength [get_cells -hierarchical -quiet -filter "IS_PRIMITIVE && REF_NAME =~ $name"]]
}}
set period [get_property PERIOD [get_clocks aclk]]
set slack [get_property SLACK [get_timing_paths -max_paths 1 -nworst 1 -setup -to [get_clocks aclk]]]
set blocks [expr {{[cells RAMB36*] + [cells RAMB18*] / 2.0}}]
puts "| core | part | LUT | flip-flops | LUT RAM | block RAM | Fmax, MHz |"
puts "|---|---|--:|--:|--:|--:|--:|"
puts [format "| {top} | %s | %d | %d | %d | %.1f | %.0f |" $part [cells LUT*] [cells FD*] \\
    [expr {{[cells RAMD*] + [cells RAMS*]}}] $blocks [expr {{1000.0 / ($period - $slack)}}]]
"""


PACKAGE = Package("Vivado: ports marked as buses, scripts that package the core as an IP and place it by itself",
                  _files, _attributes)
