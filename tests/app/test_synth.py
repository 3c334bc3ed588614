"""``runewire synth``, ``sweep`` and ``datasheet``, with the real programs."""

import importlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main
from runewire.synthesis_options import synth_command
from runewire_benchmark.datasheet import folder, load
from runewire_fpga import SweepPoint, Trials, find
from runewire_fpga.datasheet import read
from runewire_fpga.records import core_of
from runewire_fpga.targets import TARGETS
from runewire_fpga.tools import Tool
from runewire_jobs.errors import MissingToolError, ToolError
from runewire_rtl import parameters
from runewire_rtl.parameters import TranscoderParameters

OSU018 = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
SMALL = ["validator", "--lanes", "1", "--pipeline", "compact"]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results are cached between these tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cached(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUNEWIRE_CACHE", str(cache))


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.mark.slow
def test_synth(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "out.json"
    assert main(["synth", *SMALL, "--target", "ecp5-25k", "--seeds", "2", "--json", str(file)]) == 0
    record = json.loads(file.read_bytes())
    assert {key: record[key] for key in ("core", "lanes", "packing", "target", "speed")} == {
        "core": "validator", "lanes": 1, "packing": None, "target": "ecp5-25k", "speed": "8"}
    assert [run["seed"] for run in record["seeds"]] == [1, 2]
    assert record["made_by"] == \
        "runewire synth validator --lanes 1 --pipeline compact --target ecp5-25k --seeds 2"
    out = capsys.readouterr().out
    rows = {line[:14].strip(): line[14:] for line in out.splitlines()}
    assert rows["area"] == f"{record['luts']:,} LUT, {record['ffs']:,} FF"
    assert rows["Fmax"].startswith(f"{record['fmax_mhz']:.1f} MHz, median")
    assert "fMAX_PRI" in rows["limit"]
    assert rows["clock"] == f"{record['clock_mhz']:.1f} MHz, held by {record['clock_held_by']}"
    assert rows["latency"].startswith(f"{record['latency_cycles']} cycles")
    assert rows["throughput"].startswith(f"1 bytes per cycle, {record['gigabytes_per_second']:.2f} GB/s")
    assert rows["slowest path"].startswith(record["critical_path"]["start"])


@pytest.mark.slow
def test_synth_names_the_layout_that_suits_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It measures the core that it is asked for: the layout is part of the core."""
    asked = ["synth", "validator", "--lanes", "1", "--pipeline", "balanced", "--report", "none",
             "--target", "ice40-hx8k", "--seeds", "1"]
    file = tmp_path / "out.json"
    said = []
    for options in ([], ["--family", "ice40"]):
        assert main([*asked, *options, "--json", str(file)]) == 0
        rows = {line[:14].strip(): line[14:] for line in capsys.readouterr().out.splitlines()}
        said.append((json.loads(file.read_bytes()).get("family", "ecp5"), rows.get("layout")))
    assert said == [("ecp5", "ecp5, the default; --family ice40 suits this device"), ("ice40", None)]


@pytest.mark.slow
def test_synth_ends_where_a_router_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                            monkeypatch: pytest.MonkeyPatch) -> None:
    step = {"from": {"cell": "a"}, "to": {"cell": "b"}, "net": "c", "delay": 2.0, "type": "routing"}
    report = {"fmax": {"aclk": {"achieved": 250}}, "critical_paths": [
        {"from": "posedge aclk", "to": "posedge aclk", "path": [step]}]}
    (tmp_path / "report.json").write_text(json.dumps(report))
    nextpnr = tmp_path / "nextpnr-himbaechel-xilinx"
    nextpnr.write_text(f"""#!/bin/sh
case "$*" in
    *--version*) echo "(Version nextpnr-0.11)" ;;
    *router1*) while :; do :; done ;;
    *) cp {tmp_path}/report.json . ;;
esac
""")
    nextpnr.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    find.cache_clear()
    artix = TARGETS["artix-7-35t"]
    monkeypatch.setitem(TARGETS, artix.name, replace(artix, family=replace(artix.family, limit_s=1)))
    try:
        assert main(["synth", *SMALL, "--target", artix.name, "--seeds", "1"]) == 0
    finally:
        find.cache_clear()
    assert ("seed 1        250.0 MHz, with --placer static --router router2: nextpnr did not end in 1 s of processor "
            "time with --placer static --router router1\n") in capsys.readouterr().out


@pytest.mark.slow
def test_synth_to_cells_of_a_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    library, file = Path(__file__).parents[1] / "fpga" / "small.lib", tmp_path / "out.json"
    asked = ["synth", "validator", "--lanes", "1", "--pipeline", "balanced", "--target", "liberty", "--liberty",
             str(library), "--memory", "macro"]
    assert main([*asked, "--json", str(file)]) == 0
    record = json.loads(file.read_bytes())
    assert record["made_by"] == shlex.join(["runewire", *asked])
    areas = record["cells_area"]
    assert record["kge"] == round(areas["all"] / areas["nand2"]["area"] / 1000, 2)
    rows = {line[:9].strip(): line[9:] for line in capsys.readouterr().out.splitlines()}
    assert rows["library"] == "small (small.lib); 1 GE is NAND2_X1 of 4"
    assert rows["area"].startswith(f"{record['kge']:.1f} kGE, {areas['all']:,.0f} in")
    assert rows["memory"].startswith("macros, not in the area: 4 of 16x1, 2 of ")
    assert rows["delay"].startswith(f"{record['delay_ps']:,} ps, ")


@pytest.mark.slow
@pytest.mark.needs("qflow-tech-osu018")
def test_synth_to_the_library_that_debian_has(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synth", *SMALL, "--target", "liberty", "--liberty", OSU018, "--memory", "macro"]) == 0
    out = capsys.readouterr().out
    assert "osu018_stdcells (osu018_stdcells.lib); 1 GE is NAND2X1 of 24\n" in out
    gates = float(re.search(r"^area +([\d.]+) kGE", out, re.MULTILINE)[1])
    assert 0.5 < gates < 2


@pytest.mark.slow
@pytest.mark.needs("qflow", "qflow-tech-osu018")
def test_synth_places_cells_with_qflow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, picture = tmp_path / "out.json", tmp_path / "layout.svg"
    asked = ["synth", *SMALL, "--target", "liberty", "--place"]
    assert main([*asked, "--layout", str(picture), "--json", str(file)]) == 0
    record = json.loads(file.read_bytes())
    assert record["made_by"] == shlex.join(["runewire", *asked])
    routed = record["routed"]
    # Buffers and the clock tree are added, and no flip-flop is lost.
    assert sum(record["cells"].values()) < routed["cells"]
    assert 1 < routed["kge"] / record["kge"] < 1.5
    die = routed["width_um"] * routed["height_um"]
    assert 0.5 * die < 1000 * routed["kge"] * record["cells_area"]["nand2"]["area"] < die
    assert routed["period_ps"] > record["delay_ps"] > 500
    assert {routed["path"][0], routed["path"][-1]} == {"DFFPOSX1"}
    drawn = picture.read_text()
    assert [name for name in ("flip-flops", "buffers", "gates", "metal1", "metal2", "metal3")
            if f">{name}</text>" not in drawn] == []
    assert re.search(r'class="ff" d="([^"]*)"|d="([^"]*)" class="ff"', drawn)[0].count("z") == record["registers"]
    out = capsys.readouterr().out
    assert re.search(rf"^clock +{1e6 / routed['period_ps']:.0f} MHz, {routed['period_ps']:,} ps by vesta", out, re.M)


def test_a_missing_qflow_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["synth", *SMALL, "--target", "liberty", "--place"]) == 2
    assert complaint(capsys) == "runewire: qflow is missing: apt-get install qflow qflow-tech-osu018\n"


def test_a_library_that_qflow_cannot_place_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                               capsys: pytest.CaptureFixture[str]) -> None:
    qflow = tmp_path / "qflow"
    qflow.write_text("#!/bin/sh\necho Qflow version 1.3 revision 17\n")
    qflow.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    library = str(Path(__file__).parents[1] / "fpga" / "small.lib")
    assert main(["synth", *SMALL, "--target", "liberty", "--place", "--liberty", library]) == 2
    assert complaint(capsys) == ("runewire: --liberty with --place must be a library of a technology of qflow, such as "
                                 f"{OSU018}, got '{library}'\n")


@pytest.mark.slow
def test_json_to_standard_output_leaves_the_summary_to_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synth", *SMALL, "--target", "xilinx-7", "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["fmax_mhz"] is None
    assert "none: xilinx-7 is for area only, it is not placed" in err


@pytest.mark.slow
def test_a_placer_that_is_missing_is_named_and_the_area_given(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Tool:
        if name.startswith("nextpnr"):
            raise MissingToolError(f"{name} is missing: apt-get install {name}")
        return find(name)

    for module in ("runewire_fpga.sweeps", "runewire.commands.synth"):
        monkeypatch.setattr(f"{module}.find", missing)
    assert main(["synth", *SMALL, "--target", "artix-7-35t"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^area +\d+ LUT, \d+ FF\n", out, re.MULTILINE)
    assert re.search(r"^clock +none: nextpnr-himbaechel-xilinx is missing: apt-get install nextpnr-himbaechel-xilinx$",
                     out, re.MULTILINE)


@pytest.mark.parametrize(("arguments", "message"), [
    (["synth", "validator", "--target", "stratix"],
     "runewire: --target must be one of ecp5, ecp5-25k, ecp5-85k, ice40-hx8k, ice40-up5k, nexus-40k, "
     "gowin-gw2a-18, gowin-gw5a-25, gowin-gw5ast-138, machxo2-1200, machxo3lf-6900, gatemate-a1, "
     "xilinx-7, xilinx-ultrascale-plus, artix-7-35t, artix-7-100t, artix-7-200t, zynq-7020, spartan-7-50, "
     "got 'stratix'\n"),
    (["synth", "validator", "--speed", "9"], "runewire: --speed of ecp5-25k must be one of 6, 7, 8, got '9'\n"),
    (["synth", "validator", "--target", "ice40-hx8k", "--memory", "distributed"],
     "runewire: --memory on iCE40 must be block, got 'distributed': iCE40 has no other memory\n"),
    (["sweep", "--targets", "ecp5,ice40-hx8k", "--memory", "block,distributed"],
     "runewire: --memory on iCE40 must be block, got 'distributed': iCE40 has no other memory\n"),
    (["synth", "validator", "--memory", "sram"],
     "runewire: --memory on ECP5 must be distributed or block, got 'sram'\n"),
    (["synth", "validator", "--target", "liberty"],
     "runewire: --target liberty needs --liberty FILE, a library of standard cells\n"),
    (["synth", "validator", "--target", "liberty", "--liberty", "none.lib"],
     "runewire: cannot read none.lib: No such file or directory\n"),
    (["synth", "validator", "--target", "liberty", "--liberty", "none.lib", "--speed", "8"],
     "runewire: --speed is a grade of a device: a library has none, got '8'\n"),
    (["synth", "validator", "--target", "liberty", "--liberty", "none.lib", "--memory", "block"],
     "runewire: --memory of cells must be registers or macro, got 'block'\n"),
    (["synth", "validator", "--target", "liberty", "--place", "--memory", "macro"],
     "runewire: --place needs --memory registers: it places no memory that --memory macro leaves out\n"),
    (["synth", "validator", "--place"],
     "runewire: --place goes with --target liberty, got --target ecp5\n"),
    (["synth", "validator", "--target", "liberty", "--liberty", "none.lib", "--layout", "picture.svg"],
     "runewire: --layout needs --place: only a placed core has a layout\n"),
    (["synth", "validator", "--liberty", "none.lib"],
     "runewire: --liberty goes with --target liberty, got --target ecp5\n"),
    (["synth", "validator", "--lanes", "3"],
     "runewire: --lanes must be a power of two from 1 to 256, got 3\n"),
    (["synth", "decoder", "--record-report"],
     "runewire: --record-report needs --records, such as --records 0A\n"),
    (["sweep", "--cores", "validator", "--count", "records"],
     "runewire: --count records needs --records, such as --records 0A\n"),
    (["sweep", "--lanes", "1;2"], "runewire: --lanes must be numbers with commas between, got '1;2'\n"),
    (["sweep", "--beside", "simdutf"],
     "runewire: --beside must be one of between_registers, always_ready, pipeline, plain_flow, got 'simdutf'\n"),
    (["sweep", "--cores", "decoder", "--lanes", "256"], "runewire: no core comes in any width of 256\n"),
    (["sweep", "--cores", "counter"],
     "runewire: --cores must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, "
     "got 'counter'\n"),
    (["sweep", "--packings", "tight", "--cores", "decoder"],
     "runewire: --packings must be one of dense, sparse, got 'tight'\n"),
])
def test_mistakes_are_told_in_one_line(arguments: list[str], message: str, tmp_path: Path,
                                       monkeypatch: pytest.MonkeyPatch,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert complaint(capsys) == message
    assert list(tmp_path.iterdir()) == []


def test_a_datasheet_of_nothing_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasheet", "--output", str(tmp_path)]) == 2
    assert complaint(capsys).startswith("runewire: there are no measurements to make a datasheet of")


@pytest.mark.slow
def test_sweep_writes_what_compare_and_plan_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "sheet"
    asked = ["sweep", "--cores", "validator", "--lanes", "1", "--pipelines", "compact", "--targets",
             "ecp5-25k,xilinx-7", "--beside", "pipeline", "--seeds", "1", "--output", str(folder)]
    assert main(asked) == 0
    assert sorted(path.name for path in folder.glob("*")) == ["area", "validator-x1-compact-ecp5-25k-8-block.json"]
    [entry] = load(folder)
    record = json.loads((folder / "validator-x1-compact-ecp5-25k-8-block.json").read_bytes())
    assert entry.fmax_mhz == record["fmax_mhz"]
    assert entry.clock_mhz == pytest.approx(record["clock_mhz"], rel=0.001)
    assert set(record["beside"]) == {"pipeline"}
    page = folder.with_suffix(".md")
    written = page.read_text(encoding="utf-8")
    assert "runewire sweep --cores validator --lanes 1 --pipelines compact --targets ecp5-25k,xilinx-7 " \
           "--beside pipeline --seeds 1\n" in written
    out = capsys.readouterr().out
    assert f"{folder}/validator-x1-compact-ecp5-25k-8-block.json  {record['clock_mhz']:.0f} MHz" in out

    page.unlink()
    assert main(["datasheet", "--output", str(folder)]) == 0
    assert page.read_text(encoding="utf-8") == written

    monkeypatch.setattr("runewire_fpga.sweeps.design_apart", None)  # an existing measurement is not repeated
    assert main(asked) == 0
    assert page.read_text(encoding="utf-8") == written


@pytest.mark.slow
def test_a_sweep_in_which_one_fails_writes_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                      capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "nextpnr-ice40"
    broken.write_text("#!/bin/sh\necho '(Version nextpnr-0.99)'\ntest $1 = --version && exit\n"
                      "echo 'ERROR: out of pins'\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    find.cache_clear()
    folder = tmp_path / "sheet"
    status = main(["sweep", "--cores", "validator", "--lanes", "1", "--pipelines", "compact", "--targets",
                   "ecp5-25k,ice40-up5k", "--seeds", "1", "--output", str(folder)])
    find.cache_clear()
    assert status == 1
    assert [path.name for path in folder.glob("*.json")] == ["validator-x1-compact-ecp5-25k-8-block.json"]
    out, err = capsys.readouterr()
    assert "validator, 1 lane, pipeline compact on ice40-up5k: " \
           "nextpnr-ice40 failed: ERROR: out of pins\n" in out
    assert err == "runewire: 1 of 2 could not be measured\n"


@pytest.mark.slow
def test_a_sweep_writes_the_area_of_what_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "sheet"
    assert main(["sweep", "--cores", "validator", "--lanes", "8", "--targets", "machxo2-1200", "--output",
                 str(folder)]) == 1
    assert [path.name for path in folder.glob("**/*.json")] == ["validator-x8-machxo2-1200-6-distributed.json"]
    out, err = capsys.readouterr()
    assert "validator, 8 lanes on machxo2-1200: the core needs " in out
    assert "| does not fit |" in (tmp_path / "sheet.md").read_text(encoding="utf-8")
    assert err == "runewire: 1 of 1 could not be measured\n"


@pytest.mark.parametrize(("options", "where", "command"), [
    ({}, {}, "runewire synth decoder --lanes 8 --target ecp5 --seeds 3"),
    ({"lanes": 16, "packing": "sparse"}, {},
     "runewire synth decoder --lanes 16 --packing sparse --target ecp5 --seeds 3"),
    ({}, {"speed": "7", "memory": "block"},
     "runewire synth decoder --lanes 8 --target ecp5 --speed 7 --memory block --seeds 3"),
    ({"report_port": "only", "count": ("bytes", "code-points"), "user": 1}, {},
     "runewire synth decoder --lanes 8 --report-port only --count bytes,code-points --user 1 --target ecp5 --seeds 3"),
])
def test_the_command_that_measures_a_core(options: dict[str, Any], where: dict[str, str], command: str) -> None:
    assert synth_command(SweepPoint(parameters("decoder", **options), "ecp5", **where), 3) == command


@pytest.mark.parametrize("command", [
    "runewire synth validator --encoding utf-16le --lanes 4 --id 8 --target ecp5 --seeds 3",
    "runewire synth transcoder --from utf-8 --to utf-16le --lanes 2 --errors drop --report flag --offset-bits 16 "
    "--target ecp5 --speed 7 --seeds 1",
    "runewire synth validator --lanes 8 --report-port beside --count records,bad-records --records 0A --user 1 "
    "--id 8 --dest 4 --target ecp5-85k --memory block --seeds 3",
])
def test_the_command_of_any_core_asks_for_it_again(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`synth` turns its own command into a point with that command."""
    asked: list[str] = []

    def sweep(points: list[SweepPoint], trials: Trials, **others: Any) -> None:
        asked.extend(map(trials.made_by, points))
        raise ToolError("enough")

    monkeypatch.setattr(sys.modules["runewire.commands.synth"], "sweep", sweep)
    assert main(shlex.split(command)[1:]) == 2
    assert asked == [command]


def test_a_sweep_takes_the_options_of_the_ports(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: dict[str, Any] = {}
    module = sys.modules["runewire.commands.sweep"]
    monkeypatch.setattr(module, "run", lambda points, trials, **others: asked.update(points=points, trials=trials))
    monkeypatch.setattr(module, "_written", lambda output, jobs: output)
    options = ["--cores", "validator", "--lanes", "1,2", "--targets", "ecp5-85k", "--report-port", "beside",
               "--count", "bytes,records", "--records", "0A", "--id", "8"]
    assert main(["sweep", *options, "--output", str(tmp_path / "sheet")]) == 0
    sidebands = {"report_port": "beside", "count": ("bytes", "records"), "records": 0x0A, "id": 8}
    assert [point.parameters for point in asked["points"]] == [
        parameters("validator", lanes=lanes, **sidebands) for lanes in (1, 2)]
    assert asked["trials"].made_by(asked["points"][0]) == shlex.join(["runewire", "sweep", *options])


@pytest.mark.parametrize(("options", "cores"), [
    (["--cores", "transcoder", "--from", "utf-8", "--to", "utf-16le", "--lanes", "8,256", "--packings", "dense"],
     [TranscoderParameters("utf-8", "utf-16le", 8)]),
    (["--cores", "transcoder", "--from", "utf-16le", "--to", "utf-8", "--lanes", "8,16"],
     [TranscoderParameters("utf-16le", "utf-8", lanes) for lanes in (8, 16)]),
    (["--cores", "transcoder", "--from", "latin-1", "--to", "utf-32le", "--lanes", "4"],
     [TranscoderParameters("latin-1", "utf-32le", 4, packing=packing) for packing in ("dense", "sparse")]),
    (["--cores", "validator", "--encoding", "utf-32le", "--lanes", "16"], [TranscoderParameters("utf-32le", None, 16)]),
])
def test_a_sweep_of_transcoders(options: list[str], cores: list[TranscoderParameters], monkeypatch: pytest.MonkeyPatch,
                                tmp_path: Path) -> None:
    asked: dict[str, Any] = {}
    module = importlib.import_module("runewire.commands.sweep")
    monkeypatch.setattr(module, "run", lambda points, trials, **others: asked.update(points=points, trials=trials))
    monkeypatch.setattr(module, "_written", lambda output, jobs: output)
    assert main(["sweep", *options, "--targets", "ecp5-85k", "--output", str(tmp_path / "sheet")]) == 0
    assert [point.parameters for point in asked["points"]] == cores
    words = asked["trials"].made_by(asked["points"][0])
    assert sorted(shlex.split(words)) == sorted(["runewire", "sweep", *options, "--targets", "ecp5-85k"])


def test_every_command_of_the_datasheet_measures_its_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command that a row was made by asks for that core on that device with that memory."""
    asked: list[SweepPoint] = []
    module = importlib.import_module("runewire.commands.sweep")  # the package has the command of that name
    monkeypatch.setattr(module, "run", lambda points, trials, **others: asked.extend(points))
    monkeypatch.setattr(module, "_written", lambda output, jobs: output)
    for record in read(folder()):
        asked.clear()
        assert main([*shlex.split(record["made_by"])[1:], "--output", str(tmp_path / "sheet")]) == 0
        row = (core_of(record), record["target"], record["speed"], record["memory"]["made_of"])
        assert row in [(point.parameters, point.target, *point.checked()) for point in asked], record["made_by"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)])
def test_an_interrupt_leaves_no_program_behind(number: signal.Signals, status: int, tmp_path: Path) -> None:
    mark = f"RUNEWIRE_CACHE={tmp_path}"

    def marked() -> dict[int, str]:
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    found[int(process.name)] = (process / "cmdline").read_bytes().decode()
            except OSError:
                continue
        return found

    def wait_for(condition: str) -> None:
        for _ in range(1200):
            if eval(condition, {"marked": marked}):
                return
            time.sleep(0.05)
        pytest.fail(f"never: {condition}")

    # Compiling may take longer than the limit below.
    subprocess.run([*find("yosys").command, "--version"], check=True, stdout=subprocess.DEVNULL)
    command = subprocess.Popen(
        [sys.executable, "-m", "runewire.cli", "synth", "validator", "--lanes", "8", "--target", "ecp5-25k"],
        env={**os.environ, "RUNEWIRE_CACHE": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_for("any('yowasp\\0nextpnr' in call for call in marked().values())")
    command.send_signal(number)
    out, err = command.communicate(timeout=20)
    assert (command.returncode, out, err) == (status, "", "")
    wait_for("not marked()")
