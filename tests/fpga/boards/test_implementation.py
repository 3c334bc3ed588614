"""From a board's design to its bitstream."""

from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from runewire_fpga.boards import BOARDS, Network, board, load, sources
from runewire_fpga.boards.implementation import clock_of
from runewire_fpga.boards.text_over_uart import sanitizer
from runewire_jobs.errors import ToolError
from runewire_rtl.verilog import top_name, verilog_text

ICEBREAKER, BUTTERSTICK = BOARDS["icebreaker"], BOARDS["butterstick"]


@pytest.mark.slow
def test_the_core_is_that_which_generate_writes() -> None:
    files = sources(ICEBREAKER)
    core = sanitizer("ice40")
    assert files[f"{top_name(core)}.v"] == verilog_text(core)
    assert f"module {ICEBREAKER.top}(" in files[f"{ICEBREAKER.top}.v"]
    assert f"read_verilog {ICEBREAKER.top}.v" in files[f"{ICEBREAKER.top}.ys"]
    assert "set_frequency clk12_0__io 12.0" in files[f"{ICEBREAKER.top}.pcf"]
    assert sources(ICEBREAKER) == files


@pytest.mark.slow
def test_the_address_goes_into_the_stack_and_the_clock_into_the_constraints() -> None:
    files = sources(BUTTERSTICK, Network(IPv4Address("10.1.2.3")))
    assert sources(BUTTERSTICK, Network(IPv4Address("10.1.2.3"))) == files
    assert files != sources(BUTTERSTICK)
    assert "FREQUENCY PORT \"eth_rgmii_0__rx_clk__io\" 125000000.0 HZ;" in files[f"{BUTTERSTICK.top}.lpf"]


def report(**clocks: tuple[float, float]) -> dict[str, Any]:
    return {"fmax": {name: {"achieved": achieved, "constraint": needed} for name, (achieved, needed) in clocks.items()}}


def test_the_clock_is_that_of_the_cores_domain() -> None:
    assert clock_of(report(core=(66.0, 12.0004), other=(300.0, 25.0)), ICEBREAKER) == 66.0


@pytest.mark.parametrize(("clocks", "message"), [
    ({"core": (124.9, 125.0)}, r"^butterstick needs 125.0 MHz, and core reaches 124.9 MHz: another --seed may hold$"),
    ({"core": (150.0, 125.0), "crystal": (29.0, 30.0)}, r"^butterstick needs 30.0 MHz, and crystal reaches 29.0 MHz: "),
    ({"core": (150.0, 12.0)}, r"^no clock of butterstick was held against 125 MHz$"),
])
def test_a_clock_that_does_not_hold_is_told(clocks: dict[str, tuple[float, float]], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        clock_of(report(**clocks), BUTTERSTICK)


def test_a_package_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ToolError, match=r"^boards need the package amaranth_boards: pip install 'runewire\[boards\]'$"):
        sources(ICEBREAKER)


def test_there_must_be_a_bitstream_to_load(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=rf"^no bitstream of icebreaker in {tmp_path}: build it with --build$"):
        load(ICEBREAKER, tmp_path)


@pytest.mark.parametrize(("name", "suffix", "cable", "words"), [
    ("icebreaker", "bin", None, ["--board", "ice40_generic"]),
    ("ulx3s-85f", "bit", None, ["--board", "ulx3s"]),
    ("butterstick", "bit", None, ["--dfu", "--vid", "0x1209", "--pid", "0x5af1", "--altsetting", "0"]),
    ("butterstick", "bit", "ft232", ["--cable", "ft232"]),
])
def test_the_loader_is_told_of_board_and_file(name: str, suffix: str, cable: str | None, words: list[str],
                                              tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, told = tmp_path / f"{board(name).top}.{suffix}", tmp_path / "told"
    file.touch()
    program = tmp_path / "openFPGALoader"
    program.write_text(f'#!/bin/sh\nprintf \'%s\\n\' "$@" > {told}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    load(board(name), tmp_path, cable)
    assert told.read_text().splitlines() == [*words, str(file)]


def test_boards_have_what_their_pages_tell() -> None:
    page = (Path(__file__).parents[3] / "docs" / "boards.md").read_text(encoding="utf-8")
    for each in BOARDS.values():
        assert f"| `{each.name}` | {each.title} | {each.device} | {each.link} | {each.mhz:g} |" in page
