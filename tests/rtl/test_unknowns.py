"""Every register unknown before reset, and reset in the middle of a packet: nothing unknown reaches an output.

The generated Verilog runs under Icarus with its initial values taken out, and with unknown values on all
inputs that carry nothing.
"""

import random
import re
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from runewire_rtl import Parameters, describe, generate, parameters

pytestmark = pytest.mark.icarus

RESET = "reset"
"""Stands between packets for a reset; the packet before it is cut off."""

BENCH = """\
`timescale 1ns/1ns
module bench;
    localparam I = {input_bytes}, O = {output_bytes}, ACTIONS = {actions};
    reg aclk = 1'b0, aresetn = 1'b1, checked = 1'b0;
    always #5 aclk = ~aclk;
    reg [8*I-1:0] s_axis_tdata;
    reg [I-1:0] s_axis_tkeep;
    reg s_axis_tvalid, s_axis_tlast, m_axis_tready;
    wire [8*O-1:0] m_axis_tdata;
    wire [O-1:0] m_axis_tkeep;
    wire m_axis_tvalid, m_axis_tlast, s_axis_tready;
    wire [35:0] m_axis_tuser;
    {top} core (
        .aclk(aclk), .aresetn(aresetn),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser)
    );

    // An action is, in hexadecimal digits: reset, last, keep, data.
    reg [4*(2+(I+3)/4+2*I)-1:0] actions [0:ACTIONS-1];
    wire [4*(2+(I+3)/4+2*I)-1:0] action = actions[next];
    wire is_reset = action[4*(1+(I+3)/4+2*I)];
    integer next = 0, hold = {power_up}, quiet = 0, seed = 1;

    initial $readmemh("actions.hex", actions);

    always @(negedge aclk) begin
        m_axis_tready <= $random(seed);
        if (hold > 0) begin
            aresetn <= 1'b0;
            hold <= hold - 1;
            {{s_axis_tvalid, s_axis_tlast, s_axis_tkeep, s_axis_tdata}} <= {{(2+9*I){{1'bx}}}};
            if (hold == 1) s_axis_tvalid <= 1'b0;
        end else begin
            aresetn <= 1'b1;
            checked <= 1'b1;
            if (next < ACTIONS && is_reset) begin
                aresetn <= 1'b0;
                hold <= {reset_cycles} - 1;
                next = next + 1;
                s_axis_tvalid <= 1'b0;
                $display("R");
            end else if (s_axis_tvalid === 1'b0 && next < ACTIONS && $random(seed) % 4 != 0) begin
                s_axis_tvalid <= 1'b1;
                s_axis_tlast <= action[4*((I+3)/4+2*I)];
                s_axis_tkeep <= action[8*I +: I];
                s_axis_tdata <= action[0 +: 8*I];
            end
        end
    end

    always @(posedge aclk) begin
        if (checked && aresetn && (^{{s_axis_tready, m_axis_tvalid, m_axis_tlast, m_axis_tkeep,
                                     m_axis_tdata, m_axis_tuser}}) === 1'bx) begin
            $display("X %t ready %b valid %b last %b keep %b data %h user %h", $time, s_axis_tready,
                m_axis_tvalid, m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser);
            $finish;
        end
        if (aresetn && m_axis_tvalid && m_axis_tready)
            $display("B %b %b %h %h", m_axis_tlast, m_axis_tkeep, m_axis_tdata, m_axis_tuser);
        if (aresetn && s_axis_tvalid === 1'b1 && s_axis_tready) begin
            next = next + 1;
            s_axis_tvalid <= 1'b0;
            {{s_axis_tlast, s_axis_tkeep, s_axis_tdata}} <= {{(1+9*I){{1'bx}}}};
        end
        quiet = next < ACTIONS || m_axis_tvalid ? 0 : quiet + 1;
        if (quiet > 200) $finish;
        if ($time > 1000000) begin
            $display("T");
            $finish;
        end
    end
endmodule
"""


def without_initial_values(verilog: str) -> str:
    """The Verilog with every register and memory unknown at the start."""
    verilog = re.sub(r"^( *reg [^;\n=]*?) = [^;\n]*;", r"\1;", verilog, flags=re.MULTILINE)
    return re.sub(r"^ *initial (begin\n(?:.*\n)*? *end|.*;)\n", "", verilog, flags=re.MULTILINE)


@dataclass
class Packet:
    output: bytes
    tuser: int


def actions(params: Parameters, packets: Sequence[bytes | str]) -> list[str]:
    """What the bench does. A packet before a reset loses its last beat; unkept bytes are unknown."""
    size = params.input_bytes
    digits = (size + 3) // 4
    lines = []
    for number, packet in enumerate(packets):
        if isinstance(packet, str):
            lines.append("1" + "0" * (1 + digits + 2 * size))
            continue
        beats = []
        for start in range(0, max(1, len(packet)), size):
            part = packet[start : start + size]
            data = "xx" * (size - len(part)) + part[::-1].hex()
            beats.append(f"0{int(start + size >= len(packet))}{(1 << len(part)) - 1:0{digits}x}{data}")
        if number + 1 < len(packets) and packets[number + 1] == RESET:
            beats.pop()
        lines += beats
    return lines


def run(
    folder: Path, params: Parameters, packets: Sequence[bytes | str], *, reset_cycles: int
) -> list[list[Packet]]:
    """Whole output packets after each reset, the one at the start among them."""
    made = generate(params, folder)
    stripped = without_initial_values(made.verilog.read_text())
    assert not re.search(r"\binitial\b|^ *reg\b.*=", stripped, flags=re.MULTILINE)
    (folder / "core.v").write_text(stripped)
    lines = actions(params, packets)
    (folder / "actions.hex").write_text("\n".join(lines) + "\n")
    (folder / "bench.v").write_text(BENCH.format(
        input_bytes=params.input_bytes, output_bytes=params.output_bytes, top=made.top, actions=len(lines),
        power_up=reset_cycles, reset_cycles=reset_cycles))
    subprocess.run(["iverilog", "-g2005", "-o", "sim", "-s", "bench", "bench.v", "core.v"], cwd=folder, check=True)
    done = subprocess.run(["vvp", "-n", "sim"], cwd=folder, check=True, capture_output=True, text=True)
    results: list[list[Packet]] = [[]]
    output = b""
    for line in done.stdout.splitlines():
        kind, *fields = line.split()
        assert kind not in "XT", line
        if kind == "R":
            results.append([])
            output = b""
        elif kind == "B":
            last, keep, data, user = fields
            octets = bytes.fromhex(data)[::-1]
            output += bytes(octet for octet, bit in zip(octets, keep[::-1], strict=True) if bit == "1")
            if last == "1":
                results[-1].append(Packet(output, int(user, 16)))
                output = b""
    return results


def random_packet(rng: random.Random, core: str) -> bytes:
    """Up to three dozen characters, some of them no characters."""
    count = rng.randrange(36)
    if core == "encoder":
        return struct.pack(f"<{count}I", *rng.choices([0x41, 0xE9, 0x20AC, 0x1F600, 0xD800, 0x110000], k=count))
    return b"".join(rng.choices([b"A", "é".encode(), "€".encode(), "😀".encode(), b"\x80", b"\xE2"], k=count))


def expected(params: Parameters, packet: bytes) -> Packet:
    result = params.compute(packet)
    error = result.error
    return Packet(result.output, 0 if error is None else error.offset | error.kind << 32 | 1 << 35)


CONFIGURATIONS = [
    ("validator", {"lanes": 1}), ("validator", {"lanes": 8, "pipeline": "compact"}),
    ("decoder", {"lanes": 1, "bom": "strip"}), ("decoder", {"lanes": 4}),
    ("decoder", {"lanes": 4, "packing": "sparse", "pipeline": "balanced"}),
    ("encoder", {"lanes": 2}), ("encoder", {"lanes": 1, "errors": "drop", "pipeline": "compact"}),
]


@pytest.mark.parametrize(("core", "options"), CONFIGURATIONS)
def test_nothing_unknown_leaves_a_core_after_reset(tmp_path: Path, core: str, options: dict[str, object]) -> None:
    params = parameters(core, **options)
    reset_cycles = describe(params)["reset_cycles"]
    rng = random.Random(reset_cycles)
    groups = [[random_packet(rng, core) for _ in range(3)] for _ in range(6)]
    script = [item for group in groups for item in (*group, RESET)][:-1]
    results = run(tmp_path, params, script, reset_cycles=reset_cycles)
    assert len(results) == len(groups)
    for number, (group, got) in enumerate(zip(groups, results, strict=True)):
        want = [expected(params, packet) for packet in group]
        # What a reset cuts off is lost; the packet before it never ends.
        cut_off = number < len(groups) - 1
        assert got == (want[: len(got)] if cut_off else want)
        assert not cut_off or len(got) < len(group)


def test_the_bench_sees_what_is_unknown(tmp_path: Path) -> None:
    """Without any reset the unknown values stay, and are found."""
    with pytest.raises(AssertionError, match=r"X .* ready x"):
        run(tmp_path, parameters("validator", lanes=1), [b"A"], reset_cycles=0)
