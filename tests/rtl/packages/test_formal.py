"""Formal properties: a core satisfies them; a broken core and a design that breaks the core's contract do not."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_rtl import Generated, top_name, yowasp
from runewire_rtl.packages import formal
from runewire_sim import SimulationError, VerilogDesign, generated, verilator
from runewire_sim.mutation import trials
from runewire_sim.mutation.record_trials import delimiter_of, long_records
from runewire_sim.segments import Segment
from runewire_sim.stalls import Stalls

VALIDATOR: dict[str, Any] = {"core": "validator", "lanes": 1, "pipeline": "compact"}
BESIDE: dict[str, Any] = {"core": "validator", "lanes": 2, "pipeline": "compact", "records": 0x0A, "user": 2, "id": 1,
                          "report_port": "beside", "report": "kind"}
DECODER: dict[str, Any] = {"core": "decoder", "lanes": 1, "pipeline": "compact"}
SPARSE: dict[str, Any] = {"core": "decoder", "lanes": 2, "packing": "sparse", "pipeline": "compact", "report": "none"}
MARKED: dict[str, Any] = {"core": "transcoder", "from": "latin-1", "to": "utf-16le", "lanes": 1, "bom": "add",
                          "pipeline": "compact", "report": "none"}
SPLITTER: dict[str, Any] = {"core": "splitter", "lanes": 1, "pipeline": "balanced", "longest": 2, "user": 1, "id": 1}
SPLIT: dict[str, Any] = {"core": "validator", "lanes": 1, "pipeline": "compact", "split": 0x0A, "delimiter": "drop",
                         "empty": "drop", "report": "none"}
FILTER: dict[str, Any] = {"core": "filter", "lanes": 1, "pipeline": "balanced", "longest": 16, "rejects": True, "id": 1}
RECORDS: dict[str, Any] = {"core": "validator", "lanes": 1, "pipeline": "balanced", "records": 0x0A,
                           "record_report": True, "offset_bits": 16}
MOVED: dict[str, Any] = {"core": "sanitizer", "lanes": 1, "pipeline": "compact", "records": 0x0A, "user": 1}
FLOWS: dict[str, Any] = {"core": "validator", "lanes": 1, "pipeline": "compact", "flows": 2, "id": 1, "user": 1}
ONE_FLOW: dict[str, Any] = {"core": "decoder", "lanes": 1, "pipeline": "compact", "flows": 1, "count": ("bytes",)}
EARLY: dict[str, Any] = {"core": "validator", "lanes": 1, "pipeline": "compact", "early": True}
USER = """\
// Sends packets of two beats; what it does while it waits is wrong in one way or none.
module user (input wire aclk, input wire aresetn, input wire any, input wire s_axis_tready, output reg s_axis_tvalid,
    output reg s_axis_tlast, output wire [7:0] s_axis_tdata, output wire s_axis_tkeep);
    initial {{s_axis_tvalid, s_axis_tlast}} = 0;
    assign s_axis_tdata = {{7'd0, s_axis_tlast}};
    assign s_axis_tkeep = {keep};
    always @(posedge aclk)
        if (!aresetn) {{s_axis_tvalid, s_axis_tlast}} <= 0;
        else if (s_axis_tvalid && s_axis_tready) begin
            s_axis_tlast <= !s_axis_tlast;
            s_axis_tvalid <= any;
        end else if (!s_axis_tvalid || {drops}) s_axis_tvalid <= any;
endmodule
module top (input wire aclk, input wire any, input wire s_axis_tready, input wire [7:0] m_axis_tdata,
    input wire m_axis_tkeep, input wire m_axis_tvalid, input wire m_axis_tready, input wire m_axis_tlast,
    input wire [35:0] m_axis_tuser);
    reg aresetn = 1'b0;
    always @(posedge aclk) aresetn <= 1'b1;
    wire s_axis_tvalid, s_axis_tlast, s_axis_tkeep;
    wire [7:0] s_axis_tdata;
    user user (.*);
    runewire_validator_x1_compact_formal #(.USES(1)) formal (.*);
endmodule
"""


@pytest.fixture
def sby(tmp_path: Path) -> Callable[[Path], str]:
    """Runs a job of SymbiYosys; returns its verdict."""
    yosys = tmp_path / "yosys"
    yosys.write_text(f"#!/bin/sh\nexec {' '.join(yowasp.command('yosys'))} \"$@\"\n")
    yosys.chmod(0o755)
    abc = next(filter(None, map(shutil.which, ("berkeley-abc", "abc"))), "abc")

    def run(job: Path) -> str:
        # Traces need an SMT solver, which is not installed.
        job.write_text(job.read_text().replace("mode bmc\n", "mode bmc\naigsmt none\n"))
        done = subprocess.run([Path(sys.executable).with_name("yowasp-sby"), "--yosys", yosys, "--abc", abc, "-f", job],
                              cwd=job.parent, capture_output=True, text=True, check=False)
        [verdict] = re.findall(r"DONE \((\w+), rc=", done.stdout) or [done.stdout + done.stderr]
        return verdict

    return run


def copied(made: Generated, folder: Path, change: tuple[str, str] = ("", "")) -> Path:
    """The job in a folder of its own, for a core whose Verilog is changed in one place."""
    for path in (made.verilog, *made.packaged):
        shutil.copy(path, folder)
    verilog = folder / made.verilog.name
    text = verilog.read_text()
    assert change[0] in text
    verilog.write_text(text.replace(*change, 1))
    return folder / f"{made.top}_formal.sby"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize("options", [
    *(pytest.param(options, id=name) for name, options in {
        "through": VALIDATOR, "all": BESIDE, "dense": DECODER, "sparse": SPARSE, "mark": MARKED,
        "sparse mark": {**MARKED, "packing": "sparse"}, "splitter": SPLITTER, "moved": MOVED, "early": EARLY,
        "flows": FLOWS, "one flow": ONE_FLOW,
    }.items()),
    *(pytest.param(options, id=name, marks=pytest.mark.records) for name, options in {
        "filter": FILTER, "split": SPLIT, "record report": RECORDS}.items()),
])
def test_a_core_keeps_them(options: dict[str, Any], packaged: Callable[..., Generated], tmp_path: Path,
                           sby: Callable[[Path], str]) -> None:
    assert sby(copied(packaged("formal", **options), tmp_path)) == "PASS"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("options", "linked", "instead"), [
    pytest.param(VALIDATOR, "m_axis_tvalid", "made && !s_axis_tvalid", id="a beat is not held"),
    pytest.param(VALIDATOR, "m_axis_tdata", "made ^ 8'h80", id="another byte"),
    pytest.param(VALIDATOR, "m_axis_tuser", "made | 36'd1", id="a report before the last beat"),
    pytest.param(DECODER, "m_axis_tlast", "1'b0", id="no end"),
    pytest.param(SPARSE, "m_axis_tkeep", "made ^ 8'd1", id="a hole in a unit"),
])
def test_a_broken_core_is_refuted(options: dict[str, Any], linked: str, instead: str, tmp_path: Path,
                                  packaged: Callable[..., Generated], sby: Callable[[Path], str]) -> None:
    assert sby(broken(packaged("formal", **options), tmp_path, linked, instead)) == "FAIL"


def broken(made: Generated, folder: Path, linked: str, instead: str) -> Path:
    """The job for a core with another value at the output ``linked``, made of the core's, which is ``made``."""
    text = made.verilog.read_text()
    declared = re.search(rf"output wire +(\[\d+:0\])? +{linked}\b", text)[1] or ""
    link = re.search(rf"\.{linked} *\({linked}\)", text)[0]
    job = copied(made, folder, (link, link.replace(f"({linked})", "(made)")))
    verilog = folder / made.verilog.name
    instance = f"    {made.top}_core core ("
    verilog.write_text(verilog.read_text().replace(
        instance, f"    wire {declared} made;\n    assign {linked} = {instead};\n{instance}", 1))
    return job


OF_RECORDS: list[tuple[dict[str, Any], str, str, str]] = [
    (SPLITTER, "packets != 0", "m_axis_tlast", "1'b1"),
    (SPLITTER, "m_axis_tid == chosen_tid", "m_axis_tid", "!made"),
    (SPLITTER, "m_axis_tuser[0] == chosen_user", "m_axis_tuser", "made ^ {1'b0, m_axis_tlast}"),
    (SPLITTER, "m_axis_tuser[1] == chosen_cut", "m_axis_tuser", "made ^ {m_axis_tlast, 1'b0}"),
    (SPLITTER, "out_size + kept == chosen_size", "m_axis_tkeep", "1'b0"),
    (SPLITTER, "== picked_value", "m_axis_tdata", "made ^ 8'h80"),
    (SPLITTER, "place < kept", "m_axis_tkeep", "1'b0"),
    (RECORDS, "m_records_tdata[50:48] != 0", "m_records_tdata", "made & 56'hFFFFFFFFFFFF"),
    (RECORDS, "(m_records_tdata & ", "m_records_tdata", "made | 56'h80000000000000"),
    (RECORDS, "reported < records", "m_records_tvalid", "made || m_axis_tvalid"),
    (RECORDS, "!m_axis_tuser[20 + 2 * lane + 1] || ", "m_axis_tuser", "made | 22'h200000"),
    (RECORDS, "m_axis_tkeep || !m_axis_tuser[20", "m_axis_tkeep", "1'b0"),
    (MOVED, "!m_axis_tuser[38] || m_axis_tuser[37]", "m_axis_tuser", "made | 39'h4000000000"),
    (EARLY, "m_axis_tuser[35:1] == 0", "m_axis_tuser", "made | 36'd2"),
]
"""Properties of records: the core, a part of the property's text, and how the core is broken."""


OF_FLOWS: list[tuple[dict[str, Any], str, str, str]] = [
    (FLOWS, "== chosen_user", "m_axis_tuser", "made ^ {m_axis_tlast, 36'd0}"),
    (FLOWS, "m_axis_tid == chosen_tid", "m_axis_tid", "!made"),
    (FLOWS, "beats_out < beats_in", "m_axis_tvalid", "1'b1"),
    (FLOWS, "bytes_out + kept_out <= chosen_total", "m_axis_tkeep", "1'b1"),
    (FLOWS, "!closes_out || bytes_out + kept_out == chosen_total", "m_axis_tkeep", "1'b0"),
    (FLOWS, "== picked_value", "m_axis_tdata", "made ^ 8'h80"),
    (FLOWS, "place < kept_out", "m_axis_tkeep", "1'b0"),
    (FLOWS, "m_axis_tuser[0] == known_error", "m_axis_tuser", "made & ~{36'd0, made[36] && m_axis_tid}"),
    (FLOWS, "m_axis_tuser[3:1] == known_kind", "m_axis_tuser", "made ^ {34'd0, made[36], 2'd0}"),
    (FLOWS, "m_axis_tuser[35:4] == known_offset", "m_axis_tuser", "made ^ {31'd0, made[36], 5'd0}"),
    (FLOWS, "m_axis_tuser[35:4] < chosen_total", "m_axis_tuser", "made | {28'd0, m_axis_tlast && made[0], 8'd0}"),
    (ONE_FLOW, "counted + m_axis_tuser[67:36] <= chosen_total", "m_axis_tuser",
     "made | {63'd0, m_axis_tlast, 5'd0} << 36"),
    (ONE_FLOW, "!closes_out || counted + m_axis_tuser[67:36] == chosen_total", "m_axis_tuser",
     "made & ~({69{m_axis_tlast}} & {1'b0, {32{1'b1}}, 36'd0})"),
    (ONE_FLOW, "(bytes_out + kept_out) <= 4 * ", "m_axis_tkeep", "4'hF"),
]
"""Properties of segments: the core, a part of the property's text, and how the core is broken."""


def alone(text: str, promise: str) -> str:
    """The module without all other properties of the outputs."""
    kept = [line for line in text.splitlines()
            if "`RUNEWIRE_PROMISE(" not in line or promise in line or "`define" in line]
    assert len([line for line in kept if promise in line and "`RUNEWIRE_PROMISE(" in line]) == 1
    return "\n".join(kept) + "\n"


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("options", "promise", "linked", "instead"), [
    pytest.param(*each, id=f"{each[0]['core']}: {each[1]}") for each in (*OF_RECORDS, *OF_FLOWS)])
def test_each_property_of_records_and_segments_is_refuted_alone(
    options: dict[str, Any], promise: str, linked: str, instead: str, tmp_path: Path,
    packaged: Callable[..., Generated], sby: Callable[[Path], str],
) -> None:
    job = broken(packaged("formal", **options), tmp_path, linked, instead)
    module = job.with_suffix(".sv")
    module.write_text(alone(module.read_text(), promise))
    assert sby(job) == "FAIL"


OF_FILTER: list[tuple[str, str, str]] = [
    (" <= bytes", "m_axis_tkeep", "1'b1"),
    (" <= records", "m_axis_tuser", "made | 32'd64"),
    ("m_rejects_tkeep != 0", "m_rejects_tkeep", "1'b0"),
    ("m_rejects_tdata[8 * lane", "m_rejects_tkeep", "1'b0"),
    ("m_rejects_tuser[2:0] != 0 || ", "m_rejects_tuser", "68'd0"),
    ("reject_records < records", "m_rejects_tlast", "1'b1"),
    ("m_rejects_tuser == 0", "m_rejects_tuser", "made | 68'd1"),
    ("m_rejects_tid == rejects_tid", "m_rejects_tid", "made ^ m_rejects_tlast"),
]
"""Properties of a filter: a part of the property's text, and how the core is broken."""
WIDE: list[dict[str, Any]] = [
    {**FILTER, "lanes": 4, "user": 2}, {"core": "filter", "lanes": 2, "longest": 16},
    {**SPLITTER, "lanes": 4, "longest": 8, "user": 2, "delimiter": "drop", "empty": "drop"},
    {**SPLITTER, "lanes": 4, "longest": 4}, {**SPLITTER, "lanes": 2, "longest": None, "empty": "drop"},
    {**SPLIT, "lanes": 4, "delimiter": "keep", "user": 1, "null_bytes": "anywhere"}, {**RECORDS, "lanes": 4},
    {"core": "decoder", "lanes": 2, "split": 0x0A, "pipeline": "compact", "dest": 2}, {**MOVED, "lanes": 2},
    {"core": "transcoder", "from": "utf-16", "to": "utf-8", "lanes": 2, "records": 0x0A, "record_report": True},
    {**FLOWS, "lanes": 4, "count": ("bytes", "code-points")}, {**FLOWS, "pipeline": "fast", "flows": 3, "id": 4},
    {**FLOWS, "lanes": 2, "null_bytes": "anywhere", "early": True}, {**FLOWS, "report": "flag", "records": 0x0A},
    {"core": "decoder", "lanes": 4, "flows": 4, "id": 2, "bom": "add", "count": ("bytes",), "user": 2},
    {"core": "decoder", "lanes": 2, "flows": 4, "id": 2, "packing": "sparse"}, {**ONE_FLOW, "early": True},
    {"core": "transcoder", "from": "utf-16", "to": "utf-8", "lanes": 2, "flows": 2, "id": 1, "count": ("bytes",)},
    {"core": "transcoder", "from": "utf-32", "to": "utf-16le", "lanes": 1, "flows": 2, "id": 1, "dest": 2},
]
"""Cores with records or flows, wider than a model checker takes."""
STOP = """if (!(what)) begin $fwrite(32'h80000002, "broken: %s", `"what`"); $c("std::exit(9);"); end"""


def simulated(core: TranscoderParameters, verilog: str, module: str, folder: Path,
              given: Sequence[bytes] = ()) -> str:
    """What the packets ``given``, or random ones, break of the properties in ``module``, "" if nothing; the choices of
    any one are random."""
    def choice(found: re.Match[str]) -> str:
        most = {"index": 2, "pick_lane": core.input_bytes}.get(found[2])
        value = "$urandom % 200 == 0" if most is None else f"$urandom % {most}"
        return f"reg {found[1] or ''}{found[2]} = 0;\n    always @(posedge aclk) {found[2]} <= {value};"

    top = top_name(core)
    module = re.sub("(?<=`define RUNEWIRE_PROMISE\\(what\\) ).*", lambda found: STOP, module)
    module = re.sub(r"\(\* anyseq \*\) reg (\[\d+:0\] )?(\w+);", choice, module)
    module = re.sub(r"\(\* anyconst \*\) reg (\[\d+:0\] )?(\w+);", r"reg \1\2; initial \2 = $urandom;", module)
    assert "(* any" not in module
    file = folder / "bound.v"
    file.write_text(f"{verilog}{module}bind {top} {top}_formal formal (.*);\n")
    for seed, stalls in enumerate([Stalls(), Stalls(0.3, 0.3), Stalls(0, 0.8), Stalls(rejects=0.9, records=0.9)] * 3):
        packets = [*(given or trials._random(core, 200, seed, 6 * core.lanes))]
        packets += long_records(core) if delimiter_of(core) is not None else []
        stalls = replace(stalls, seed=seed, holes=0.3 if core.holes and seed % 2 else 0.0)
        try:
            with verilator.run(VerilogDesign(core, top, file), packets, stalls, quick=True) as run:
                list(run)
        except SimulationError as error:
            return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("options", WIDE, ids=lambda options: str(TranscoderParameters.of(options)))
def test_in_simulation_they_hold_for_records_and_segments(options: dict[str, Any], tmp_path: Path) -> None:
    core = TranscoderParameters.of(options)
    assert simulated(core, generated(core).verilog.read_text(), formal.checks(core), tmp_path) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("promise", "linked", "instead"), OF_FILTER, ids=[each[0] for each in OF_FILTER])
def test_each_property_of_a_filter_is_broken_alone(
    promise: str, linked: str, instead: str, tmp_path: Path, packaged: Callable[..., Generated],
) -> None:
    made = packaged("formal", **FILTER)
    module = alone(broken(made, tmp_path, linked, instead).with_suffix(".sv").read_text(), promise)
    verilog = (tmp_path / made.verilog.name).read_text()
    assert promise in simulated(parameters(**FILTER), verilog, module, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "promise", "instead"), [
    (FLOWS, "+ 3 >= chosen_before", "made & ~38'hFFFFFFFF0"),
    ({**FLOWS, "early": True}, "(m_axis_tuser[0])", "made & {38{m_axis_tlast}}")], ids=["offset", "early"])
def test_each_property_of_long_texts_is_broken_alone(
    options: dict[str, Any], promise: str, instead: str, tmp_path: Path, packaged: Callable[..., Generated],
) -> None:
    made = packaged("formal", **options)
    module = alone(broken(made, tmp_path, "m_axis_tuser", instead).with_suffix(".sv").read_text(), promise)
    verilog = (tmp_path / made.verilog.name).read_text()
    # The text's first error is in its second segment, or in its first one.
    texts = [Segment(data, flow, more) for flow in range(2) for text in ((b"abcdef", b"\xFF"), (b"\xFF", b"abcdef"))
             for data, more in zip(text, (True, False), strict=True)]
    assert promise.strip("()") in simulated(parameters(**options), verilog, module, tmp_path, texts * 100)


@pytest.mark.slow
@pytest.mark.needs("berkeley-abc")
@pytest.mark.parametrize(("keep", "drops", "verdict"), [
    ("1'b1", "1'b0", "PASS"), ("1'b1", "1'b1", "FAIL"), ("s_axis_tlast", "1'b0", "FAIL"),
])
def test_the_design_around_a_core_is_held_to_its_contract(
    keep: str, drops: str, verdict: str, tmp_path: Path, packaged: Callable[..., Generated], sby: Callable[[Path], str]
) -> None:
    made = packaged("formal", **VALIDATOR)
    shutil.copy(made.packaged[0], tmp_path)
    (tmp_path / "user.sv").write_text(USER.format(keep=keep, drops=drops))
    (tmp_path / "user.sby").write_text(
        "[options]\nmode bmc\ndepth 60\n\n[engines]\nabc bmc3\n\n[script]\n"
        f"read_verilog -sv -formal {made.packaged[0].name} user.sv\nprep -top top\n\n"
        f"[files]\n{made.packaged[0].name}\nuser.sv\n")
    assert sby(tmp_path / "user.sby") == verdict


@pytest.mark.icarus
@pytest.mark.parametrize(("keep", "fails"), [("1'b1", False), ("1'bz", True), ("1'bx", True)])
def test_in_simulation_an_unknown_tkeep_breaks_the_contract(keep: str, fails: bool, tmp_path: Path,
                                                            packaged: Callable[..., Generated]) -> None:
    made = packaged("formal", **VALIDATOR)
    (tmp_path / "bench.sv").write_text(f"""\
module bench;
    reg aclk = 1'b0;
    always #5 aclk = ~aclk;
    {made.top}_formal #(.USES(1)) formal (.aclk(aclk), .aresetn(1'b1), .s_axis_tdata(8'h41), .s_axis_tkeep({keep}),
        .s_axis_tvalid(1'b1), .s_axis_tready(1'b0), .s_axis_tlast(1'b1), .m_axis_tdata(8'h00), .m_axis_tkeep(1'b0),
        .m_axis_tvalid(1'b0), .m_axis_tready(1'b1), .m_axis_tlast(1'b0), .m_axis_tuser(36'd0));
    initial #22 $finish;
endmodule
""")
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", "sim", "bench.sv", made.packaged[0]], cwd=tmp_path,
                   check=True)
    said = subprocess.run(["vvp", "-n", "sim"], cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert ("ERROR: " in said) is fails, said


@pytest.mark.parametrize("options", [
    VALIDATOR, SPARSE, SPLITTER, {**SPLITTER, "delimiter": "drop", "empty": "drop", "lanes": 4, "longest": 8}, SPLIT,
    FILTER, {**FILTER, "lanes": 2, "rejects": False}, RECORDS, MOVED, FLOWS, {**ONE_FLOW, "lanes": 2, "records": 0x0A},
], ids=["through", "sparse", "splitter", "splitter that drops", "split", "filter", "filter without rejects",
        "record report", "moved", "flows", "one flow"])
def test_it_binds_to_the_core(options: dict[str, Any], packaged: Callable[..., Generated]) -> None:
    from pyslang.ast import Compilation
    from pyslang.syntax import SyntaxTree

    made = packaged("formal", **options)
    text = made.packaged[0].read_text()
    [bind] = re.findall(r"^//     (bind .*)$", text, flags=re.MULTILINE)
    compilation = Compilation()
    compilation.addSyntaxTree(SyntaxTree.fromText(f"{made.verilog.read_text()}\n{text}\n{bind}\n"))
    assert [str(item.code) for item in compilation.getAllDiagnostics() if item.isError()] == []
    [top] = compilation.getRoot().topInstances
    assert top.name == made.top
    assert top.body.find("formal") is not None
