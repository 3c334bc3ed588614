"""Constraints: OpenSTA reads them, and finds every port constrained."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runewire_rtl import Generated, describe, parameters
from runewire_rtl.packages import PACKAGES

Tcl = Callable[..., tuple[int, str, list[str]]]
LIBRARY = Path(__file__).parents[2] / "fpga" / "small.lib"


@pytest.mark.needs("tcl")
def test_clock_and_ports_are_constrained(tcl: Tcl, packaged: Callable[..., Generated],
                                         everything: dict[str, Any]) -> None:
    made = packaged("sdc", **everything)
    commands = {"get_ports": "return [lindex $args 0]", "create_clock": "", "set_input_delay": "",
                "set_output_delay": ""}
    status, said, called = tcl(made.verilog.parent / f"{made.top}.sdc", commands)
    assert (status, said) == (0, "")
    assert called[:2] == ["get_ports aclk", "create_clock -name aclk -period 4.000 aclk"]
    found = {direction: re.findall(r"(\w+)(\[\*\])?", names) for line in called[2:]
             for direction, names in re.findall(r"^set_(\w+)_delay -clock aclk 1.600 \{(.*)\}$", line)}
    for direction in ("input", "output"):
        assert found[direction] == [
            (port["name"], "[*]" if port["width"] > 1 else "") for port in describe(parameters(**everything))["ports"]
            if port["direction"] == direction and port["name"] != "aclk"]


@pytest.mark.needs("opensta")
def test_opensta_finds_no_port_without_a_constraint(packaged: Callable[..., Generated], everything: dict[str, Any],
                                                    tmp_path: Path) -> None:
    made = packaged("sdc", **everything)
    table = describe(parameters(**everything))["ports"]
    names = ", ".join(port["name"] for port in table)
    declared = "".join(f"  {port['direction']} [{port['width'] - 1}:0] {port['name']};\n" if port["width"] > 1
                       else f"  {port['direction']} {port['name']};\n" for port in table)
    (tmp_path / "stub.v").write_text(f"module {made.top} ({names});\n{declared}"
                                     "  BUF through (.A(s_axis_tvalid), .Y(m_axis_tvalid));\nendmodule\n")
    sdc = made.verilog.parent / f"{made.top}.sdc"
    (tmp_path / "check.tcl").write_text(
        f"read_liberty {LIBRARY}\nread_verilog stub.v\nlink_design {made.top}\nread_sdc {sdc}\n"
        "check_setup -verbose -no_input_delay -no_clock\nreport_checks -unconstrained\nputs done\nexit\n")
    done = subprocess.run(["sta", "-no_splash", "check.tcl"], cwd=tmp_path, env={**os.environ, "HOME": str(tmp_path)},
                          capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    assert "\ndone\n" in said
    assert not re.search("error|warning", said, flags=re.IGNORECASE)
    # The stub's single path: two fifths of the period before it and two fifths after it.
    assert re.search(r"^ +1\.60 +1\.60 . input external delay$", said, flags=re.MULTILINE)
    assert re.search(r"^ +-1\.60 +2\.40 +output external delay$", said, flags=re.MULTILINE)


def test_quartus_has_the_same_file(everything: dict[str, Any]) -> None:
    params = parameters(**everything)
    [(name, text)] = PACKAGES["sdc"].files(params).items()
    assert PACKAGES["quartus"].files(params)[name] == text
