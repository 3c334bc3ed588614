"""The delivered Verilog is the design that is proven, and a printer that writes something else is found."""

from importlib import import_module
from pathlib import Path

import pytest
from runewire_jobs.errors import ToolError
from runewire_model import DecoderParameters, EncoderParameters, TranscoderParameters, ValidatorParameters, parameters
from runewire_proofs import Engine, run
from runewire_proofs.engines import COMBINATIONAL
from runewire_proofs.flat_netlist import FlatNetlist
from runewire_proofs.paired import Description, Paired, graph_of_gates

COMPACT = ValidatorParameters(1, "compact")


def verdict(core: TranscoderParameters, engine: Engine) -> str:
    (record,) = run(core, engine, mutants=False, parts=["printing"])
    return record.outcome.verdict


@pytest.mark.needs("berkeley-abc")
def test_the_verilog_of_a_compact_core_is_its_design(engine: Engine) -> None:
    assert verdict(COMPACT, engine) == "proven"


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("core", [
    ValidatorParameters(1, "compact", report_port="only"),
    pytest.param(DecoderParameters(1, report_port="only"), marks=pytest.mark.slow)], ids=repr)
def test_registers_in_the_second_module_of_a_name_have_their_partners(core: TranscoderParameters,
                                                                      engine: Engine) -> None:
    """The report port's module is called as the one that makes the report, so it gets a number."""
    assert verdict(core, engine) == "proven"


@pytest.mark.needs("berkeley-abc")
def test_a_fault_of_the_writer_is_found(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(import_module("runewire_rtl.verilog.module_writer").OPERATORS, "xor", "|")
    assert verdict(COMPACT, engine) == "refuted"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("core", [
    ValidatorParameters(2, records=0x0A, user=2, count=("records", "bytes")),
    DecoderParameters(2, pipeline="balanced", family="ice40"), EncoderParameters(2),
    ValidatorParameters(1, null_bytes="anywhere"), DecoderParameters(2, flows=8, id=3),
    *(pytest.param(core, marks=pytest.mark.records) for core in (
        ValidatorParameters(16), DecoderParameters(4, packing="sparse", bom="strip"),
        TranscoderParameters("utf-8", "utf-16be", 4), TranscoderParameters("utf-16", "utf-8", 2),
        parameters("packer", lanes=4, user=1), DecoderParameters(8, pipeline="compact"))),
], ids=repr)
def test_the_verilog_of_any_core_is_its_design(core: TranscoderParameters, engine: Engine) -> None:
    assert verdict(core, engine) == "proven"


SOUND = """\
module dut (input wire c, input wire e, input wire [1:0] a, input wire [1:0] d, output reg [1:0] q, output reg r);
    reg [1:0] rows [0:3];
    initial r = 1'b0;
    always @(posedge c) begin
        if (e) rows[a] <= d;
        q <= rows[a];
        r <= e ^ d[0];
    end
endmodule
"""
"""A register and a memory."""


@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("printed", "expected"), [
    pytest.param((("r <= e ^ d[0];", "r <= (e & ~d[0]) | (~e & d[0]);"),), "proven", id="another text",
                 marks=pytest.mark.slow),
    pytest.param((("1'b0", "1'b1"),), "refuted", id="another initial value", marks=pytest.mark.slow),
    pytest.param((("initial r = 1'b0;", ""),), "refuted", id="no initial value", marks=pytest.mark.slow),
    pytest.param((("posedge", "negedge"),), "refuted", id="the other edge", marks=pytest.mark.slow),
    pytest.param((("posedge c", "posedge e"),), "refuted", id="another clock", marks=pytest.mark.slow),
    pytest.param((("[0:3]", "[0:2]"),), "refuted", id="a row less", marks=pytest.mark.slow),
    pytest.param((("if (e) ", ""),), "refuted", id="always written", marks=pytest.mark.slow),
    pytest.param((("<= d;", "<= {d[0], d[1]};"),), "refuted", id="bits exchanged", marks=pytest.mark.slow),
    pytest.param((("q <= rows[a]", "q <= rows[~a]"),), "refuted", id="another row", marks=pytest.mark.slow),
    pytest.param((("r <=", "s <="), ("reg r);", "wire r);\nreg s = 0;\nassign r = s;")), "refuted",
                 id="a register without a partner", marks=pytest.mark.slow),
])
def test_what_two_descriptions_may_differ_in(
    printed: tuple[tuple[str, str], ...], expected: str, tmp_path: Path, engine: Engine,
) -> None:
    other = SOUND
    for old, new in printed:
        assert old in other
        other = other.replace(old, new)
    described, changed = (Description((("dut.v", text),), ("read_verilog dut.v",)) for text in (SOUND, other))
    graph = graph_of_gates(engine, Paired.of(described, changed), tmp_path)
    assert engine.prove(graph, COMBINATIONAL, [], 60).verdict == expected


def test_an_initial_value_of_32_bits_is_a_number_in_rtlil() -> None:
    text = ("module \\dut\n  wire \\c\n  wire width 32 \\d\n  attribute \\init 5\n  wire width 32 \\q\n"
            "  cell $dff $1\n    parameter \\CLK_POLARITY 1\n    connect \\CLK \\c\n    connect \\D \\d\n"
            "    connect \\Q \\q\n  end\nend\n")
    flops = FlatNetlist(text).flops
    assert [flops["\\q", index].initial for index in range(32)] == [1, 0, 1, *[0] * 29]


@pytest.mark.parametrize("kind", ["$adff", "$dlatch", "$mem", "\\unknown"])
def test_a_cell_with_a_state_that_is_not_compared_is_refused(kind: str) -> None:
    text = f"module \\dut\n  wire \\q\n  cell {kind} $1\n    connect \\Q \\q\n  end\nend\n"
    with pytest.raises(ToolError, match="a cell of the netlist is not understood: "):
        FlatNetlist(text)


@pytest.mark.needs("berkeley-abc")
def test_other_ports_are_named(tmp_path: Path, engine: Engine) -> None:
    other = SOUND.replace("output reg r", "output reg [1:0] r")
    described, changed = (Description((("dut.v", text),), ("read_verilog dut.v",)) for text in (SOUND, other))
    with pytest.raises(ToolError, match=r"^two descriptions of a core have other ports: r$"):
        graph_of_gates(engine, Paired.of(described, changed), tmp_path)
