"""nextpnr: what is read out of its report, and small designs through every flow."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from runewire_fpga.designs import DesignPort, StandaloneDesign, between_registers
from runewire_fpga.place_and_route import (
    CriticalPath,
    arguments,
    constraints,
    place,
    read_report,
)
from runewire_fpga.synthesis import Netlist, script, synthesise
from runewire_fpga.targets import TARGETS
from runewire_fpga.tools import DISTRIBUTIONS, Tool, Tools
from runewire_jobs.errors import TimeLimitError, ToolError


def step(kind: str, delay: float, cell: str, net: str = "") -> dict[str, Any]:
    return {"type": kind, "delay": delay, "to": {"cell": cell}, **({"net": net} if net else {})}


PATH = [
    step("clk-to-q", 0.4, "core.row_TRELLIS_FF_Q_3"),
    step("routing", 1.2, "core.memory.0.0$DPRAM_COMB1", "core.row[1]"),
    step("logic", 0.2, "core.memory.0.0$DPRAM_COMB1"),
    step("routing", 0.9, "core.data_TRELLIS_FF_Q_4_DI_LUT4_Z", "core.memory_DO_1[1]"),
    step("logic", 0.2, "core.data_TRELLIS_FF_Q_4_DI_LUT4_Z"),
    step("routing", 0.1, "core.data_TRELLIS_FF_Q_4", "core.data_TRELLIS_FF_Q_4_DI"),
    step("setup", 0.05, "core.data_TRELLIS_FF_Q_4"),
]
REPORT = {
    "fmax": {"aclk": {"achieved": 327.8689, "constraint": 500}},
    "critical_paths": [
        {"from": "<async>", "to": "posedge aclk", "path": []},
        {"from": "posedge aclk", "to": "<async>", "path": []},
        {"from": "posedge aclk", "to": "posedge aclk", "path": PATH},
    ],
}


def test_the_path_from_register_to_register_counts() -> None:
    found = read_report(REPORT, seed=7)
    assert (found.seed, found.fmax_mhz) == (7, 327.87)
    assert found.critical_path == CriticalPath(
        start="core.row[1]", end="core.data", nets=("core.memory_DO_1[1]",), logic_ns=0.85, routing_ns=2.2)


@pytest.mark.parametrize(("cell", "signal"), [
    ("core.a_TRELLIS_FF_Q", "core.a"),
    ("core.a_TRELLIS_FF_Q_12_DI_LUT4_Z_1_B_PFUMX_Z", "core.a"),
    ("core.a_1_CCU2C_S0_COUT", "core.a_1"),
    ("dut.core.b_SB_DFFESR_Q_D_SB_LUT4_O_I3", "dut.core.b"),
    ("dut.c_FD1P3IX_Q_1", "dut.c"),
    ("dut.c_CC_DFF_Q_1", "dut.c"),
    ("dut.c_CC_L2T4_O_1_I0", "dut.c"),
    ("dut.c_1_CCU2D_S0", "dut.c_1"),
    ("d_DFFRE_Q_CE_LUT4_F", "d"),
    ("dut.c_FDRE_Q_2_D_LUT6_O", "dut.c"),
    ("core.memory.0.1$DPRAM_COMB0", "core.memory.0.1"),
    ("core.read__data$49_TRELLIS_FF_Q", "core.read__data$49"),
    ("core.LUT4_is_a_name", "core.LUT4_is_a_name"),
])
def test_cells_are_called_by_the_names_of_the_design(cell: str, signal: str) -> None:
    path = [step("clk-to-q", 0, "x"), step("routing", 1, cell, "core.x")]
    report = {"fmax": {"aclk": {"achieved": 1}},
              "critical_paths": [{"from": "posedge aclk", "to": "posedge aclk", "path": path}]}
    assert read_report(report, 1).critical_path.end == signal


@pytest.mark.parametrize("clocks", [0, 2])
def test_there_must_be_one_clock(clocks: int) -> None:
    paths = [{"from": f"posedge {n}", "to": f"posedge {n}", "path": PATH} for n in range(clocks)]
    with pytest.raises(ToolError, match=f"^nextpnr reports {clocks} clocks with a path from register"):
        read_report({"fmax": {}, "critical_paths": paths}, 1)


def test_what_nextpnr_is_given() -> None:
    ecp5 = TARGETS["ecp5-85k"]
    netlist = Netlist(b"", {})
    asked = ["--freq", "500", "--timing-allow-fail"]
    device = ["--85k", "--package", "CABGA381", "--speed", "6", "--out-of-context"]
    weighted = ["--placer", "heap", "--placer-heap-timingweight", "100", "--placer-heap-critexp", "4"]
    for luts, placer in ((0, ["--placer", "static"]), (10_000, ["--placer", "static"]), (10_001, weighted)):
        wide = Netlist(b"", {"LUT4": luts})
        assert arguments(ecp5, "6", wide) == [*device, *placer, *asked]
        assert arguments(ecp5, "6", wide, plain=True) == [*device, *asked]
    assert constraints(ecp5) == ""
    ice40 = TARGETS["ice40-hx8k"]
    for luts, placer in ((6680, ["--placer", "sa"]), (6681, [])):
        full = Netlist(b"", {"SB_LUT4": luts, "SB_DFF": 1000})
        assert arguments(ice40, "hx", full) == ["--hx8k", "--package", "ct256", *placer, *asked]
        assert arguments(ice40, "hx", full, plain=True) == ["--hx8k", "--package", "ct256", *asked]
    nexus = TARGETS["nexus-40k"]
    assert "--pdc=pins.txt" in arguments(nexus, "9", netlist)
    assert "ldc_set_location -site {L13} [get_ports aclk]\n" in constraints(nexus)
    assert arguments(TARGETS["gatemate-a1"], "speed", netlist) == [
        "--device", "CCGM1A1", "--vopt", "fpga_mode=3", "--vopt", "allow-unconstrained", *asked]
    assert constraints(TARGETS["machxo2-1200"]) == 'LOCATE COMP "aclk" SITE "128";\n'
    assert 'IO_LOC "aclk" H11;\n' in constraints(TARGETS["gowin-gw2a-18"])
    artix = TARGETS["artix-7-100t"]
    assert arguments(artix, "1", netlist) == [
        "--device", "xc7a100tcsg324-1", "--placer", "static", "--router", "router1", "--vopt=xdc=pins.txt", *asked]
    router2 = ["--placer", "static", "--router", "router2"]
    for luts, placer in ((5_000, ["--placer", "static", "--router", "router1"]), (5_001, router2)):
        # The core alone decides, not the registers around it.
        assert arguments(artix, "1", Netlist(b"", {"LUT6": 20_000}, {"LUT6": luts})) == [
            "--device", "xc7a100tcsg324-1", *placer, "--vopt=xdc=pins.txt", *asked]
    assert constraints(artix).startswith(
        "set_property LOC E3 [get_ports aclk]\nset_property IOSTANDARD LVCMOS33 [get_ports aclk]\n")


@pytest.mark.parametrize("large", [False, True])
def test_a_small_core_that_is_not_routed_in_time_is_routed_as_a_large_one(
        large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    artix = TARGETS["artix-7-100t"]
    runs: list[tuple[str, int | None]] = []

    def run(self: Tools, tool: Tool, asked: Sequence[str], directory: Path, limit_s: int | None = None) -> str:
        runs.append((asked[asked.index("--router") + 1], limit_s))
        if limit_s is not None:
            raise TimeLimitError("nextpnr did not end")
        (directory / "report.json").write_text(json.dumps(REPORT))
        return ""

    monkeypatch.setattr(Tools, "run", run)
    monkeypatch.setattr("runewire_fpga.place_and_route.find", lambda name: Tool(name, (name,), ""))
    found = place(Netlist(gzip.compress(b"{}"), {"LUT6": 5_001 if large else 5_000}), artix, "1", 7)
    assert runs == [("router1", 900)] * (not large) + [("router2", None)]
    assert (found.seed, found.limited) == (7, not large)


SHIFT = StandaloneDesign("top", """
module top (input wire aclk, input wire aresetn, input wire [7:0] i, output reg [7:0] o);
    reg [7:0] a;
    always @(posedge aclk) if (!aresetn) begin a <= 0; o <= 0; end
        else begin a <= i; o <= a + {a[6:0], a[7]}; end
endmodule
""", (DesignPort("i", True, 8), DesignPort("o", False, 8)), latency_cycles=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.needs(each.family.nextpnr)] * (each.family.nextpnr in DISTRIBUTIONS))
    for name, each in TARGETS.items() if each.family.nextpnr])
def test_a_small_design_on_every_device(name: str) -> None:
    target = TARGETS[name]
    family = target.family
    design = SHIFT if family.out_of_context else between_registers(SHIFT)
    netlist = synthesise(design.verilog, script(family, design.top, bare=family.out_of_context, memory="block"))
    found = place(netlist, target, target.speed(), 1)
    assert 50 < found.fmax_mhz < 2000
    period = found.critical_path.logic_ns + found.critical_path.routing_ns
    assert 1000 / period == pytest.approx(found.fmax_mhz, rel=0.01)


@pytest.mark.slow
def test_a_seed_gives_the_same_and_another_seed_another() -> None:
    target = TARGETS["ecp5-25k"]
    netlist = synthesise(SHIFT.verilog, script(target.family, "top", bare=True, memory="block"))
    first, again, other = (place(netlist, target, "8", seed) for seed in (1, 1, 2))
    assert first == again
    assert first.critical_path != other.critical_path


@pytest.mark.slow
def test_a_slower_grade_is_slower() -> None:
    target = TARGETS["ecp5-25k"]
    netlist = synthesise(SHIFT.verilog, script(target.family, "top", bare=True, memory="block"))
    slow, fast = (place(netlist, target, grade, 1).fmax_mhz for grade in "68")
    assert slow < fast


@pytest.mark.slow
def test_what_does_not_fit_is_told_in_one_line() -> None:
    deep = """
module top (input wire aclk, input wire [12:0] a, input wire [15:0] d, output reg [15:0] q);
    reg [15:0] memory [8191:0];
    always @(posedge aclk) begin q <= memory[a]; memory[a] <= d; end
endmodule
"""
    target = TARGETS["ice40-up5k"]
    with pytest.raises(ToolError, match=r"^nextpnr-ice40 failed: ERROR: .*$"):
        place(synthesise(deep, script(target.family, "top", bare=True, memory="block")), target, "up", 1)
