"""Memories of a core as macros in another file: the recipe of docs/asic.md, simulated."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_rtl import generate
from runewire_rtl.packages import chosen
from runewire_sim import VerilogDesign, compare, simulate

ASIC = Path(__file__).parents[2] / "docs" / "asic.md"
MACRO = """\
module {name} (input wire clk, input wire write, input wire [3:0] write_row, input wire [{top}:0] write_data,
    input wire read, input wire [3:0] read_row, output reg [{top}:0] read_data);
    reg [{top}:0] macro [0:15];
    always @(posedge clk) begin
        if (write) macro[write_row] <= write_data;
        if (read) read_data <= {read};
    end
endmodule
"""
"""No initial values, and reading a row while it is written gives an unknown value."""
UNKNOWN = "write && write_row == read_row ? {width}'bx : macro[read_row]"
STUCK = "macro[read_row & 4'd7]"
"""A macro with half of the rows."""


def swapped(params: TranscoderParameters, folder: Path, read: str) -> tuple[str, Path, Path]:
    """The core's name, its Verilog with replaced memories, as on the page, and its test bench."""
    made = generate(params, folder / "core", packages=chosen(["fusesoc"]))
    [recipe] = re.findall(r"^sed .*_memory_.*$", ASIC.read_text(encoding="utf-8"), flags=re.MULTILINE)
    words = re.sub(r"core/\w+\.v", f"core/{made.top}.v", recipe)
    subprocess.run(words, shell=True, cwd=folder, check=True)
    shapes = re.findall(r"^module (\w+_memory_16x(\d+)) ", made.verilog.read_text(), flags=re.MULTILINE)
    assert shapes
    logic = (folder / "logic.v").read_text()
    assert not re.search(r"^module \w+_memory_|\brows\[", logic, flags=re.MULTILINE)
    macros = "".join(MACRO.format(name=name, top=int(width) - 1, read=read.format(width=width))
                     for name, width in shapes)
    (folder / "swapped.v").write_text(logic + macros)
    return made.top, folder / "swapped.v", made.verilog.parent / f"{made.top}_tb.sv"


@pytest.mark.icarus
@pytest.mark.parametrize(("read", "passes"), [
    pytest.param(UNKNOWN, True, id="macro"),
    pytest.param(STUCK, False, id="half-a-macro", marks=pytest.mark.slow),
])
def test_a_core_with_other_memories_passes_its_test_bench(
        read: str, passes: bool, tmp_path: Path, without_initial_values: Callable[[str], str]) -> None:
    """In four-state logic, without any initial value: an unknown value at the output would fail."""
    top, verilog, bench = swapped(parameters("validator", lanes=1, family="generic"), tmp_path, read)
    verilog.write_text(without_initial_values(verilog.read_text()))
    subprocess.run(["iverilog", "-g2012", "-s", f"{top}_tb", "-o", tmp_path / "sim", verilog, bench], check=True)
    done = subprocess.run(["vvp", "-n", tmp_path / "sim"], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("PASS" if passes else "FAIL"), done.stdout


@pytest.mark.slow
def test_a_core_with_other_memories_agrees_with_the_model(tmp_path: Path) -> None:
    params = parameters("encoder", lanes=1, family="generic")
    top, verilog, _ = swapped(params, tmp_path, UNKNOWN)
    packets = [bytes(4 * count) for count in range(40)]
    with simulate(VerilogDesign(params, top, verilog), packets) as run:
        report = compare(params, packets, run)
    assert report.agree
