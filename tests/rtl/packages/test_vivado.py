"""Files for Vivado, which is not installed: Tcl runs its scripts with stubs of its commands."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_model import parameters
from runewire_rtl import Generated
from runewire_sim import generated
from runewire_sim.verilator import find_verilator

Tcl = Callable[..., tuple[int, str, list[str]]]

PART = "xcku5p-ffvb676-2-e"
NOTHING = dict.fromkeys([
    "create_project", "add_files", "set_property", "update_compile_order", "close_project", "ipx::package_project",
    "ipx::associate_bus_interfaces", "ipx::create_xgui_files", "ipx::update_checksums", "ipx::check_integrity",
    "ipx::save_core", "read_verilog", "read_xdc", "synth_design", "opt_design", "place_design", "phys_opt_design",
    "route_design"], "")
PACKAGING = {
    **NOTHING, "current_fileset": "return sources_1", "ipx::current_core": "return core",
    "ipx::get_bus_interfaces": "return [lindex $args 0]",
    "get_property": "return [expr {[string match s_* [lindex $args 1]] ? {slave} : {master}}]",
}
PLACING = {
    **NOTHING, "get_clocks": "return clock", "get_timing_paths": "return path",
    "get_property": "return [dict get {PERIOD 4.0 SLACK 1.5} [lindex $args 0]]",
    "get_cells": "return [lrepeat [dict get {LUT* 900 FD* 800 RAMD* 20 RAMS* 10 RAMB36* 3 RAMB18* 1} "
                 "[lindex [lindex $args end] end]] cell]",
}


def test_ports_say_which_bus_they_belong_to(everything: dict[str, Any], packaged: Callable[..., Generated]) -> None:
    text = packaged("vivado", **everything).verilog.read_text()
    found = re.findall(r'^    \(\* X_INTERFACE_INFO = "(.*?)"(?:, X_INTERFACE_PARAMETER = "(.*?)")? \*\)\n'
                       r"    (?:input|output) +wire +(?:\[\d+:0\])? *(\w+)", text, flags=re.MULTILINE)
    assert found[:2] == [
        ("xilinx.com:signal:clock:1.0 aclk CLK",
         "ASSOCIATED_BUSIF s_axis:m_axis:m_report, ASSOCIATED_RESET aresetn", "aclk"),
        ("xilinx.com:signal:reset:1.0 aresetn RST", "POLARITY ACTIVE_LOW", "aresetn"),
    ]
    buses = {port: info.split()[1:] for info, _, port in found[2:]}
    assert buses == {port: [*port.rsplit("_", 1)[:1], port.rsplit("_", 1)[1].upper()] for port in buses}
    assert {info.split()[0] for info, _, _ in found[2:]} == {"xilinx.com:interface:axis:1.0"}
    assert len(found) == 21
    # Everything else is equal.
    assert re.sub(r"^    \(\* X_.*\n", "", text, flags=re.MULTILINE) == (
        generated(parameters(**everything)).verilog.read_text())


@pytest.mark.icarus
def test_tools_read_the_verilog_with_its_attributes(everything: dict[str, Any], tmp_path: Path,
                                                    packaged: Callable[..., Generated]) -> None:
    made = packaged("vivado", **everything)
    subprocess.run(["iverilog", "-g2005", "-Wall", "-s", made.top, "-o", tmp_path / "out", made.verilog], check=True)
    tool = find_verilator()
    subprocess.run([tool.program, "--lint-only", made.verilog], env={"VERILATOR_ROOT": str(tool.root)}, check=True)


@pytest.mark.needs("tcl")
def test_the_packager_makes_an_ip_of_the_core(everything: dict[str, Any], tcl: Tcl,
                                              packaged: Callable[..., Generated]) -> None:
    made = packaged("vivado", **everything)
    status, said, called = tcl(made.verilog.parent / f"{made.top}_package.tcl", PACKAGING, PART)
    assert (status, said) == (0, "")
    assert f"create_project -in_memory -part {PART} {made.top}" in called
    assert f"add_files -norecurse {made.verilog}" in called
    assert [line for line in called if line.startswith("ipx::associate_bus")] == [
        f"ipx::associate_bus_interfaces -busif {bus} -clock aclk core" for bus in ("s_axis", "m_axis", "m_report")]
    assert called[-2:] == ["ipx::save_core core", "close_project"]


@pytest.mark.needs("tcl")
@pytest.mark.parametrize(("commands", "arguments", "message"), [
    ({**PACKAGING, "ipx::get_bus_interfaces": ""}, [PART],
     "the packager has not found the bus s_axis, or not as a slave"),
    ({**PACKAGING, "get_property": "return slave"}, [PART],
     "the packager has not found the bus m_axis, or not as a master"),
    (PACKAGING, [], "usage: vivado -mode batch -source runewire_validator_x1_package.tcl -tclargs PART"),
])
def test_the_packager_tells_what_is_wrong(commands: dict[str, str], arguments: list[str], message: str, tcl: Tcl,
                                          packaged: Callable[..., Generated]) -> None:
    made = packaged("vivado", core="validator", lanes=1)
    status, said, called = tcl(made.verilog.parent / f"{made.top}_package.tcl", commands, *arguments)
    assert (status, said) == (1, f"{message}\n")
    assert not [line for line in called if "save_core" in line]


@pytest.mark.needs("tcl")
def test_the_synthesis_prints_a_row(tcl: Tcl, packaged: Callable[..., Generated]) -> None:
    made = packaged("vivado", core="validator", lanes=1)
    folder = made.verilog.parent
    status, said, called = tcl(folder / f"{made.top}_synth.tcl", PLACING, PART)
    assert (status, said.splitlines()[-1]) == (0, f"| {made.top} | {PART} | 900 | 800 | 30 | 3.5 | 400 |")
    assert called[:3] == [f"read_verilog {made.verilog}", f"read_xdc -mode out_of_context {folder / made.top}.xdc",
                          f"synth_design -mode out_of_context -top {made.top} -part {PART}"]


@pytest.mark.needs("tcl")
def test_the_constraint_names_the_clock(tcl: Tcl, packaged: Callable[..., Generated]) -> None:
    made = packaged("vivado", core="validator", lanes=1)
    commands = {"get_ports": "return [lindex $args 0]", "create_clock": ""}
    assert tcl(made.verilog.parent / f"{made.top}.xdc", commands) == (
        0, "", ["get_ports aclk", "create_clock -name aclk -period 4.000 aclk"])
