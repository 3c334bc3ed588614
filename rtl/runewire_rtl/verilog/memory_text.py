"""Text of a memory: a module of its own, so that a user can replace it."""

from __future__ import annotations

from .netlist import Memory
from .verilog_text import quoted, span


def memory_kind(memory: Memory) -> str:
    return f"memory_{memory.depth}x{len(memory.read_data)}"


def memory_text(name: str, memory: Memory) -> str:
    row, width = len(memory.write_row), len(memory.read_data)
    wide = max(len(span(row)), len(span(width)))

    def port(kind: str, bits: int, name: str) -> str:
        return f"    {kind} {span(bits):<{wide}}{' ' if wide else ''}{name}"

    attributes = ", ".join(f"{key} = {quoted(value)}" for key, value in sorted(memory.attributes.items()))
    return f"""\
// {name}: {memory.depth} rows of {width} bit{'s' if width > 1 else ''}; one port writes, one reads into a register.
// No row that counts is read in the cycle that writes it, so a memory of any make may stand in its place.
module {name} (
{port("input  wire", 1, "clk")},
{port("input  wire", 1, "write")},
{port("input  wire", row, "write_row")},
{port("input  wire", width, "write_data")},
{port("input  wire", 1, "read")},
{port("input  wire", row, "read_row")},
{port("output reg ", width, "read_data")}
);

{f"    (* {attributes} *){chr(10)}" if attributes else ""}\
    reg [{width - 1}:0] rows [0:{memory.depth - 1}];

    always @(posedge clk) begin
        if (write) begin
            rows[write_row] <= write_data;
        end
    end

    always @(posedge clk) begin
        if (read) begin
            read_data <= rows[read_row];
        end
    end
endmodule
"""
