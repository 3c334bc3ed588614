"""Cases that a core's input contract leaves open, in Icarus, which has X: unkept lanes, and tags inside a packet."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from runewire_rtl import generate, parameters

pytestmark = pytest.mark.icarus

EVERY = ("code-points", "utf16-units", "replacements", "bytes", "records", "bad-records")
CORES: list[dict[str, Any]] = [
    {"core": "validator", "lanes": 4, "records": 0x0A, "count": EVERY},
    {"core": "decoder", "lanes": 4, "count": EVERY[:4]},
    {"core": "decoder", "lanes": 2, "packing": "sparse"},
    {"core": "encoder", "lanes": 1},
    {"core": "sanitizer", "lanes": 2, "errors": "drop"},
    {"core": "packer", "lanes": 4},
]
START = """
module bench;
    reg aclk = 0, aresetn = 0, valid = 0, last = 0;
    always #5 aclk = ~aclk;
    integer cycle = 0, i;
"""
SENT = 200


def said(folder: Path, bench: str, verilog: Path) -> list[str]:
    """What the bench prints."""
    (folder / "bench.v").write_text(bench)
    subprocess.run(["iverilog", "-g2005", "-s", "bench", "-o", folder / "sim", folder / "bench.v", verilog], check=True)
    done = subprocess.run(["vvp", "-n", folder / "sim"], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("options", CORES, ids=lambda options: "-".join(map(str, options.values())))
def test_x_in_unkept_lanes_reaches_no_output(options: dict[str, Any], tmp_path: Path) -> None:
    core = parameters(**options)
    made, into, out = generate(core, tmp_path), core.input_bytes, core.output_bytes
    told = core.sidebands.user_bits(out)
    user = ", user" if told else ""
    found = said(tmp_path, START + f"""
    reg [{8 * into - 1}:0] data;
    reg [{into - 1}:0] keep;
    wire [{8 * out - 1}:0] result;
    wire [{out - 1}:0] kept;
    wire [{max(told, 1) - 1}:0] user;
    wire offered, ends;
    {made.top} core (.aclk(aclk), .aresetn(aresetn), .s_axis_tdata(data), .s_axis_tkeep(keep), .s_axis_tvalid(valid),
        .s_axis_tlast(last), .m_axis_tdata(result), .m_axis_tkeep(kept), .m_axis_tvalid(offered),
        .m_axis_tready(1'b1), .m_axis_tlast(ends){", .m_axis_tuser(user)" if told else ""});
    always @(posedge aclk)
        if (cycle > 100) begin
            if (^{{offered}} === 1'bx || (offered && ^{{result, kept, ends{user}}} === 1'bx))
                $display("X");
            if (offered && ends)
                $display("packet");
        end
    always @(negedge aclk) begin
        cycle = cycle + 1;
        aresetn = cycle > 2;
        valid = cycle > 100 && cycle <= 100 + {SENT};
        last = cycle % 3 == 0 || cycle == 100 + {SENT};
        keep = {{{into}{{1'b1}}}};
        if ({int(core.holes)})
            keep = $random;
        else if (last)
            keep = keep >> cycle / 3 % {into + 1};
        for (i = 0; i < {into}; i = i + 1)
            data[8 * i +: 8] = keep[i] ? $random : 8'hxx;
        if (cycle == 300 + {SENT})
            $finish;
    end
endmodule
""", made.verilog)
    assert found == ["packet"] * (SENT // 3 + 1)


@pytest.mark.parametrize(("tid", "tdest", "message"), [
    (3, 1, None), (5, 1, "tid = 5 after 3"), (3, 2, "tdest = 2 after 1"),
])
def test_beats_of_packets_that_interleave_are_told(tid: int, tdest: int, message: str | None, tmp_path: Path) -> None:
    """Three beats, the second with another tag; between packets tags may change."""
    made = generate(parameters("validator", lanes=1, id=4, dest=3), tmp_path)
    found = said(tmp_path, START + f"""
    wire middle = cycle == 102;
    {made.top} core (.aclk(aclk), .aresetn(aresetn), .s_axis_tdata(8'h41), .s_axis_tkeep(1'b1), .s_axis_tvalid(valid),
        .s_axis_tlast(last), .s_axis_tid(cycle < 101 ? 4'd9 : middle ? 4'd{tid} : 4'd3),
        .s_axis_tdest(cycle < 101 ? 3'd4 : middle ? 3'd{tdest} : 3'd1), .m_axis_tready(1'b1));
    always @(negedge aclk) begin
        cycle = cycle + 1;
        aresetn = cycle > 2;
        valid = cycle >= 99 && cycle <= 103;
        last = cycle == 100 || cycle == 103;
        if (cycle == 200)
            $finish;
    end
endmodule
""", made.verilog)
    told = [line for line in found if "protocol error" in line]
    # There, and back again.
    assert len(told) == (0 if message is None else 2)
    assert message is None or told[0].endswith(f"protocol error: beats of packets interleave, {message}")
