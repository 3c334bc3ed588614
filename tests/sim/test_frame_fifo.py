"""The bad-frame bit in use: a frame FIFO after the core drops frames by it."""

import re
import sys
from pathlib import Path

import pytest
from runewire_model import ValidatorParameters
from runewire_sim import SimulationError, VerilogDesign, generated
from runewire_sim.cocotb_job import run_bench

FIFO = Path(__file__).parent / "frame_fifo.v"
CHAIN = """
module chain (
    input               aclk, aresetn,
    input  [{data}:0]   s_axis_tdata,
    input  [{keep}:0]   s_axis_tkeep,
    input               s_axis_tvalid, s_axis_tlast, s_axis_tuser,
    output              s_axis_tready,
    output [{data}:0]   m_axis_tdata,
    output [{keep}:0]   m_axis_tkeep,
    output              m_axis_tvalid, m_axis_tlast,
    input               m_axis_tready
);
    wire [{data}:0] tdata;
    wire [{keep}:0] tkeep;
    wire [{user}:0] tuser;
    wire tvalid, tready, tlast;

    {core} core (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(tdata), .m_axis_tkeep(tkeep), .m_axis_tvalid(tvalid), .m_axis_tready(tready),
        .m_axis_tlast(tlast), .m_axis_tuser(tuser)
    );
    frame_fifo #(.WIDTH({data} + 1)) fifo (
        .clk(aclk), .rst(!aresetn),
        .s_axis_tdata(tdata), .s_axis_tkeep(tkeep), .s_axis_tvalid(tvalid), .s_axis_tready(tready),
        .s_axis_tlast(tlast), .s_axis_tuser(tuser[0]),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast)
    );
endmodule
"""


def chain(lanes: int, report: str, folder: Path) -> VerilogDesign:
    """The validator, and the FIFO after it."""
    core = generated(ValidatorParameters(lanes, report=report, user=1))
    text = CHAIN.format(core=core.top, data=8 * lanes - 1, keep=lanes - 1,
                        user=core.parameters.sidebands.user_bits(lanes) - 1)
    file = folder / "chain.v"
    file.write_text(core.verilog.read_text() + FIFO.read_text() + text)
    return VerilogDesign(core.parameters, "chain", file)


def play(design: VerilogDesign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parent)])
    core = generated(design.parameters)
    run_bench(design, "bench_frame_fifo", "icarus", {"RUNEWIRE_DESCRIPTION": str(core.verilog.with_suffix(".json"))})


@pytest.mark.icarus
@pytest.mark.parametrize(("lanes", "report"), [
    (1, "full"), (2, "flag"), pytest.param(8, "full", marks=pytest.mark.slow)])
def test_a_frame_fifo_drops_what_is_bad(
    lanes: int, report: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    play(chain(lanes, report, tmp_path), monkeypatch)


@pytest.mark.icarus
@pytest.mark.parametrize("bit", ["1'b0", "tuser[1]"])
def test_a_frame_fifo_that_looks_elsewhere_fails(bit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = chain(2, "full", tmp_path)
    design.verilog.write_text(re.sub(r"\(tuser\[0\]\)", f"({bit})", design.verilog.read_text()))
    with pytest.raises(SimulationError, match="icarus failed"):
        play(design, monkeypatch)
