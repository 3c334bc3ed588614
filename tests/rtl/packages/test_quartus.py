"""Files for Quartus, which is not installed: Tcl runs them with stubs of its commands."""

from collections.abc import Callable
from typing import Any

import pytest
from runewire_rtl import Generated, describe, parameters

COMMANDS = dict.fromkeys([
    "set_module_property", "add_fileset", "set_fileset_property", "add_fileset_file", "add_interface",
    "set_interface_property", "add_interface_port"], "") | {"package": ""}
Tcl = Callable[..., tuple[int, str, list[str]]]


@pytest.mark.needs("tcl")
def test_the_component_has_the_core_s_interfaces(everything: dict[str, Any], tcl: Tcl,
                                                 packaged: Callable[..., Generated]) -> None:
    made = packaged("quartus", **everything)
    status, said, called = tcl(made.verilog.parent / f"{made.top}_hw.tcl", COMMANDS)
    assert (status, said) == (0, "")
    assert [line for line in called if line.startswith("add_interface ")] == [
        "add_interface aclk clock end", "add_interface aresetn reset end", "add_interface s_axis axi4stream end",
        "add_interface m_axis axi4stream start", "add_interface m_report axi4stream start"]
    ports = [line.split()[2:] for line in called if line.startswith("add_interface_port ")]
    roles = {"aclk": "clk", "aresetn": "reset_n"}
    assert ports == [
        [port["name"], roles.get(port["name"], port["name"].rpartition("_")[2]), port["direction"].capitalize(),
         str(port["width"])] for port in describe(parameters(**everything))["ports"]]
    assert f"add_fileset_file {made.top}.v VERILOG PATH {made.top}.v TOP_LEVEL_FILE" in called
    for bus in ("s_axis", "m_axis", "m_report"):
        assert f"set_interface_property {bus} associatedClock aclk" in called
        assert f"set_interface_property {bus} associatedReset aresetn" in called
