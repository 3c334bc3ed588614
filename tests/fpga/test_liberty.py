"""Cores in library cells: a small library next to the tests, and one from Debian."""

import re
from pathlib import Path

import pytest
from runewire_fpga.liberty import Mapped, Nand, map_cells, measure_cells
from runewire_jobs.cache import Store
from runewire_jobs.errors import ToolError
from runewire_rtl import parameters

SMALL = (Path(__file__).parent / "small.lib").read_bytes()
DESIGN = """\
module design (input wire clk, input wire [2:0] i, output reg [1:0] o, output wire [1:0] read);
    always @(posedge clk) o <= {o[0], &i};
    design_memory_4x2 rows (.clk(clk), .row(i[1:0]), .data(o), .read_data(read));
endmodule
module design_memory_4x2 (input wire clk, input wire [1:0] row, input wire [1:0] data, output reg [1:0] read_data);
    reg [1:0] rows [0:3];
    always @(posedge clk) begin
        rows[row] <= data;
        read_data <= rows[row];
    end
endmodule
"""
"""A NAND of three inputs and two flip-flops, and a memory of eight bits with two at its output."""


def without(cell: str) -> bytes:
    """The small library without the cells whose names begin with ``cell``."""
    text = re.sub(rf"  cell \({cell}\w*\) \{{\n(?:    .*\n)*  \}}\n", "", SMALL.decode())
    assert f"({cell}" not in text
    return text.encode()


@pytest.fixture(scope="module")
def with_macro() -> Mapped:
    return map_cells(DESIGN, "design", SMALL, macros=True)


def test_area_is_that_of_the_cells_in_gates_of_the_smallest_nand(with_macro: Mapped) -> None:
    areas = {"INV": 2, "BUF": 3, "NAND2_X2": 6, "NAND2_X1": 4, "NOR2": 4, "DFF": 20}
    assert with_macro.library == "small"
    assert with_macro.nand == Nand("NAND2_X1", 4)
    assert with_macro.area == sum(areas[name] * count for name, count in with_macro.cells.items())
    assert (with_macro.cells["DFF"], with_macro.registers, with_macro.register_area) == (2, 2, 40)
    assert with_macro.kilogates(with_macro.register_area) == 0.01
    assert with_macro.memories == {"design_memory_4x2": 1}


def test_delay_is_that_of_the_gates_in_a_row(with_macro: Mapped) -> None:
    """At least two levels for three inputs, from the library's tables: 0.05 to 0.24 ns each at light loads."""
    assert 100 <= with_macro.delay_ps <= 700


def test_memories_are_flip_flops_where_no_macro_is() -> None:
    found = map_cells(DESIGN, "design", SMALL, macros=False)
    assert found.memories == {}
    assert found.registers == 2 + 8 + 2


@pytest.mark.parametrize(("library", "message"), [
    (without("NAND2"), "the library has no NAND of two inputs, a cell with an area and the function !(A & B): gate "
                       "equivalents need one"),
    (without("DFF"), "yosys failed: ERROR: FF "),
    (b"module not_liberty;\n", "yosys failed: ERROR: "),
], ids=["no-nand", "no-flip-flop", "no-library"])
def test_a_library_that_does_not_do(library: bytes, message: str) -> None:
    with pytest.raises(ToolError) as raised:
        map_cells(DESIGN, "design", library, macros=False)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.slow
def test_a_core_with_macros_is_that_with_registers_less_its_memories(tmp_path: Path) -> None:
    library, store = tmp_path / "small.lib", Store(tmp_path / "store")
    library.write_bytes(SMALL)
    core = parameters("validator", lanes=1, pipeline="balanced", family="generic")
    registers, macro = (measure_cells(core, library, memory, store=store, made_by="") for memory in
                        ("registers", "macro"))
    bits = sum(int(rows) * int(width) * count for name, count in macro.mapped.memories.items()
               for rows, width in re.findall(r"_memory_(\d+)x(\d+)$", name))
    outputs = sum(int(name.rpartition("x")[2]) * count for name, count in macro.mapped.memories.items())
    assert bits > 0
    # Yosys may find that a register of a memory's output is equal to another.
    assert bits <= registers.mapped.registers - macro.mapped.registers <= bits + outputs
    again = measure_cells(core, library, "macro", store=store, made_by="")
    assert again == macro


def test_another_memory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="memory of cells must be registers or macro, got 'block'"):
        measure_cells(parameters("validator", lanes=1), tmp_path, "block", store=Store(tmp_path), made_by="")
