"""Cores without initial values: the same behaviour after a cycle of reset, on devices that load none too."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_rtl import describe, generate, parameters, top_name, verilog_text, yowasp

CYCLES = 800
RESET = 3
"""The one cycle with aresetn low."""
BENCH = """\
module bench;
    reg aclk = 1'b0, aresetn = 1'b1;
    always #5 aclk = ~aclk;
    integer cycle = 0, wrong = 0, taken = 0, seed = 7;
{declared}
    {top} with_values ({with_links});
    {top}_without without_values ({without_links});
    always @(negedge aclk) begin
        cycle = cycle + 1;
        aresetn <= cycle != {reset};
        if (cycle > {reset}) begin
{compared}
            taken = taken + (with_m_axis_tvalid && m_axis_tready);
            if (!s_axis_tvalid || with_s_axis_tready) begin
                s_axis_tvalid <= $random(seed) % 4 != 0;
                s_axis_tlast = $random(seed) % 4 == 0;
                s_axis_tkeep <= {{{bytes}{{1'b1}}}} >> (s_axis_tlast ? $unsigned($random(seed)) % {bytes} : 0);
{driven}
            end
{ready}
        end
        if (cycle == {cycles}) begin
            $display("%0d wrong, %0d beats", wrong, taken);
            $finish;
        end
    end
endmodule
"""
CORES: dict[str, dict[str, Any]] = {
    "compact validator": {"core": "validator", "lanes": 1, "pipeline": "compact"},
    "decoder": {"core": "decoder", "lanes": 2},
    "all ports": {"core": "validator", "lanes": 4, "count": ("bytes", "bad-records"), "records": 0x0A, "user": 3,
                  "id": 2, "dest": 1, "report_port": "beside"},
    "balanced sparse decoder": {"core": "decoder", "lanes": 2, "pipeline": "balanced", "packing": "sparse"},
    "compact decoder": {"core": "decoder", "lanes": 4, "pipeline": "compact"},
    "generic encoder": {"core": "encoder", "lanes": 2, "family": "generic"},
    "sanitizer": {"core": "sanitizer", "lanes": 2},
    "byte for byte sanitizer": {"core": "sanitizer", "lanes": 1, "replacement": 0x3F},
    "mark": {"core": "transcoder", "from": "utf-8", "to": "utf-16le", "lanes": 2, "bom": "add", "family": "ice40"},
    "byte order": {"core": "transcoder", "from": "utf-16", "to": "utf-8", "lanes": 2},
    "compact byte order": {"core": "transcoder", "from": "utf-32", "to": "latin-1", "lanes": 1, "pipeline": "compact"},
}
QUICK = ("compact validator", "decoder")
STARTING = re.compile(r"\breg\b[^;\n(]* = |\binitial\b")


each_core = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in CORES])


@cache
def text(params: TranscoderParameters, *, initial_values: bool) -> str:
    """The core's Verilog, made once."""
    return verilog_text(params, initial_values=initial_values)


def side_by_side(params: TranscoderParameters, folder: Path, reset: int = RESET) -> str:
    """Icarus' report on a core with initial values and one without, in the same random traffic with stalls.

    Outputs must be equal in four-state logic; a payload only while it is valid.
    """
    top = top_name(params)
    declared, driven, compared, ready = [], [], [], []
    ports = describe(params)["ports"][2:]
    for port in ports:
        name, width = port["name"], port["width"]
        if port["direction"] == "output":
            declared.append(f"    wire [{width - 1}:0] with_{name}, without_{name};")
            valid = f"with_{name.rpartition('_')[0]}_tvalid"
            counts = (f"^without_{name} === 1'bx || with_{name} !== without_{name}" if name.endswith(("valid", "ready"))
                      else f"{valid} && with_{name} !== without_{name}")
            compared.append(f"            if ({counts}) wrong = wrong + 1;")
        else:
            declared.append(f"    reg [{width - 1}:0] {name} = 0;")
            if name.endswith("tready"):
                ready.append(f"            {name} <= $random(seed) % 3 != 0;")
            elif name in ("s_axis_tdata", "s_axis_tuser"):
                driven += [f"                {name}[{low} +: {min(32, width - low)}] <= $random(seed);"
                           for low in range(0, width, 32)]
    links = {kind: ", ".join([".aclk(aclk), .aresetn(aresetn)", *(
        f".{port['name']}({port['name'] if port['direction'] == 'input' else f'{kind}_' + port['name']})"
        for port in ports)]) for kind in ("with", "without")}
    (folder / "bench.sv").write_text(BENCH.format(
        top=top, reset=reset, cycles=CYCLES, bytes=params.input_bytes, with_links=links["with"],
        without_links=links["without"], declared="\n".join(declared), driven="\n".join(driven),
        compared="\n".join(compared), ready="\n".join(ready)))
    (folder / "with.v").write_text(text(params, initial_values=True))
    (folder / "without.v").write_text(
        re.sub(rf"\b{top}(?=_|\b)", f"{top}_without", text(params, initial_values=False)))
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", "sim", "bench.sv", "with.v", "without.v"], cwd=folder,
                   check=True)
    return subprocess.run(["vvp", "-n", "sim"], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.icarus
@each_core
def test_after_a_cycle_of_reset_it_does_the_same_in_each_cycle(name: str, tmp_path: Path) -> None:
    said = side_by_side(TranscoderParameters.of(CORES[name]), tmp_path)
    found = re.fullmatch(r"(\d+) wrong, (\d+) beats\n", said)
    assert found, said
    assert int(found[1]) == 0
    assert int(found[2]) > 100


@pytest.mark.icarus
def test_without_a_reset_it_does_not(tmp_path: Path) -> None:
    said = side_by_side(TranscoderParameters.of(CORES["compact validator"]), tmp_path, reset=-1)
    assert int(said.split()[0]) > 100


@each_core
def test_no_register_of_the_core_has_one(name: str) -> None:
    params = TranscoderParameters.of(CORES[name])
    with_values, without = (text(params, initial_values=values) for values in (True, False))
    core = without.partition("endmodule")[2]
    assert not STARTING.search(core)
    assert STARTING.search(with_values.partition("endmodule")[2])
    assert "// Registers have no initial values: reset the core once before it is used.\n" in without
    # Everything else is equal.
    assert [re.sub(r" = \d+'[^;,\n]*(?=[;,]?$)", "", line) for line in with_values.splitlines() if " reg " in line
            and "amid_packet" not in line] == [
        line for line in without.splitlines() if " reg " in line and "amid_packet" not in line]
    assert [line for line in with_values.splitlines() if " reg " not in line] == [
        line for line in without.splitlines() if " reg " not in line and "no initial values" not in line]


def test_memories_never_have_one() -> None:
    assert "initial" not in text(parameters("decoder", lanes=2), initial_values=True).partition("endmodule")[2]


def test_the_description_says_whether_registers_have_them(tmp_path: Path) -> None:
    params = parameters("validator", lanes=1)
    for values in (True, False):
        made = generate(params, tmp_path, initial_values=values)
        assert json.loads(made.description.read_text())["initial_values"] is values
        assert bool(STARTING.search(made.verilog.read_text().partition("endmodule")[2])) is values


# Devices whose registers or memories have no initial values, in Yosys.

def synthesised(params: TranscoderParameters, command: str, folder: Path, *, initial_values: bool) -> dict[str, int]:
    """The cells by their types. Raises ValueError with Yosys' error."""
    (folder / "core.v").write_text(text(params, initial_values=initial_values))
    script = f"read_verilog core.v; {command} -top {top_name(params)}; tee -q -o stat.json stat -json"
    done = subprocess.run([*yowasp.command("yosys"), "-p", script], cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode:
        raise ValueError(re.findall(r"^ERROR: .*", done.stdout + done.stderr, re.MULTILINE))
    [module] = [each for each in json.loads((folder / "stat.json").read_text())["modules"].values()
                if each["num_cells"] > 1]
    return dict(module["num_cells_by_type"])


COMPACT = CORES["compact validator"]
POLARFIRE = "synth_microchip -family polarfire"


@pytest.mark.parametrize("command", [
    pytest.param(POLARFIRE, id="polarfire", marks=pytest.mark.slow), pytest.param("synth_sf2", id="sf2")])
def test_microchip_takes_a_core_without_them(command: str, tmp_path: Path) -> None:
    assert synthesised(TranscoderParameters.of(COMPACT), command, tmp_path, initial_values=False)["SLE"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("command", [POLARFIRE, "synth_sf2"], ids=["polarfire", "sf2"])
def test_microchip_takes_no_core_with_them(command: str, tmp_path: Path) -> None:
    """Otherwise the option would be useless."""
    with pytest.raises(ValueError, match="init"):
        synthesised(TranscoderParameters.of(COMPACT), command, tmp_path, initial_values=True)


@pytest.mark.slow
def test_polarfire_has_the_memories_of_a_decoder_in_its_own(tmp_path: Path) -> None:
    cells = synthesised(parameters("decoder", lanes=2), POLARFIRE, tmp_path, initial_values=False)
    assert cells["RAM64x12"] == 14
    assert cells["SLE"] < 1900


@pytest.mark.slow
def test_sf2_takes_a_decoder(tmp_path: Path) -> None:
    assert synthesised(parameters("decoder", lanes=2), "synth_sf2", tmp_path, initial_values=False)["SLE"] > 1000


@pytest.mark.slow
@pytest.mark.parametrize("initial_values", [True, False])
def test_cyclone_v_has_the_memories_of_a_decoder_in_mlabs(initial_values: bool, tmp_path: Path) -> None:
    cells = synthesised(parameters("decoder", lanes=2), "synth_intel_alm -family cyclonev", tmp_path,
                        initial_values=initial_values)
    assert cells["MISTRAL_MLAB"] == 90
    assert cells["MISTRAL_FF"] < 1900
