import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main
from runewire.datasheet import Entry
from runewire.plan import Option, plan, worst_packet
from runewire_model import parameters


def entry(core: str, lanes: int, clock_mhz: float = 370.0, luts: int = 0, **options: str) -> Entry:
    return Entry(parameters(core, lanes=lanes, **options), "ecp5-85k", "Lattice LFE5U-85F", 84_000, "8",
                 clock_mhz, clock_mhz, luts or 100 * lanes, 0, 20, {})


@pytest.mark.parametrize("lanes", [1, 2, 8, 64, 128])
@pytest.mark.parametrize("sizes", [range(1, 2), range(1, 1501), range(64, 1501), range(65, 66), range(60, 66),
                                   range(128, 200), range(130, 250), range(1500, 1501)])
def test_worst_size_is_the_worst_of_all(lanes: int, sizes: range) -> None:
    def filled(size: int) -> float:
        return size / math.ceil(size / lanes)

    worst = worst_packet(lanes, sizes)
    assert worst in sizes
    assert filled(worst) == min(map(filled, sizes))


def test_last_beat_that_is_nearly_empty_halves_the_rate() -> None:
    (option,) = plan([entry("decoder", 64)], 100e9, range(64, 1501)).options
    assert option.worst_packet == 65
    assert option.worst_bits == pytest.approx(65 / 2 * 8 * 370e6)
    assert option.needed_mhz == pytest.approx(100e9 / (65 / 2 * 8) / 1e6)
    assert option.text_bits is None


def test_text_goes_in_packets_of_the_largest_size() -> None:
    (option,) = plan([entry("decoder", 64)], 100e9, range(64, 1501), b"x" * 3001).options
    assert option.text_bits == pytest.approx(3001 / (24 + 24 + 1) * 8 * 370e6)


def test_encoder_is_planned_in_utf8_and_for_ascii() -> None:
    text = "中".encode() * 100
    (option,) = plan([entry("encoder", 4)], 10e9, range(64, 301), text).options
    assert option.worst_bits == pytest.approx(65 / 17 * 8 * 370e6)
    assert option.text_bits == pytest.approx(300 / 25 * 8 * 370e6)


def test_smallest_core_of_each_packing_is_chosen() -> None:
    cores = [
        entry("decoder", 8, luts=900), entry("decoder", 16, luts=1500), entry("decoder", 32, luts=3000),
        entry("decoder", 16, luts=800, packing="sparse"), entry("decoder", 32, luts=700, packing="sparse"),
        entry("decoder", 16, luts=1400, pipeline="compact"),
    ]
    found = plan(cores, 40e9, range(1500, 1501))
    assert [(o.entry.lanes, o.entry.packing, o.entry.luts) for o in found.carrying] == [
        (16, "dense", 1400), (32, "sparse", 700)]
    assert found.carrying_text == []


def test_exactly_the_rate_is_enough() -> None:
    assert plan([entry("validator", 8, 250.0)], 16e9, range(8, 9)).carrying
    assert not plan([entry("validator", 8, 250.0)], 16.0001e9, range(8, 9)).carrying


def test_nearest_is_what_carries_most_and_not_what_is_widest() -> None:
    cores = [entry("decoder", 32, 370.0), entry("decoder", 64, 150.0)]
    found = plan(cores, 1e12, range(1500, 1501))
    assert found.carrying == []
    assert found.nearest.entry == cores[0]


def test_share_of_the_device_and_latency() -> None:
    (option,) = plan([entry("decoder", 8, 250.0, luts=840)], 1e9, range(1, 2)).options
    assert option.device_share == pytest.approx(0.01)
    assert option.latency_ns == pytest.approx(80)
    assert Option(replace(option.entry, device_luts=None), 1, 1.0, 1.0, None).device_share is None


# The command.

def record(lanes: int, **changes: Any) -> dict[str, Any]:
    return {
        "core": "decoder", "lanes": lanes, "packing": "dense", "target": "ecp5-85k", "speed": "8",
        "seeds": [], "fmax_mhz": 500.0, "luts": 100 * lanes, "ffs": 1, "latency_cycles": 37,
        "device": "Lattice LFE5U-85F", "capacity": {"luts": 84_000}, "clock_mhz": 370.0, "tool_versions": {},
        **changes,
    }


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheet").mkdir()
    cores = [record(lanes) for lanes in (1, 8, 16, 64)]
    (tmp_path / "sheet" / "decoder.json").write_text(json.dumps(cores))
    (tmp_path / "sheet" / "area.json").write_text(json.dumps(
        record(8, target="xc7", fmax_mhz=None, clock_mhz=None)))
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.txt").touch()
    (tmp_path / "text.txt").write_bytes(b"abc" * 1000)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["plan", "--datasheet", "sheet", *arguments])
    streams = capsys.readouterr()
    return status, streams.out, streams.err


@pytest.mark.usefixtures("here")
def test_core_that_carries_the_rate_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "20G")
    assert status == 0
    assert (
        "In the worst case, all packets of 65 bytes, the 8-lane dense decoder at 370 MHz (800 LUT, 1.0 % of "
        "the Lattice LFE5U-85F; latency 37 cycles, 100 ns) carries 21.4 Gbit/s; for 20 Gbit/s it needs 346 MHz.\n"
    ) in out


@pytest.mark.usefixtures("here")
def test_table_marks_what_carries(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--rate", "20G", "--text", "text.txt")
    rows = {line.split()[0]: line for line in out.splitlines() if line[:1].isdigit()}
    assert {lanes: (line.count("✓"), line.count("✗")) for lanes, line in rows.items()} \
        == {"1": (0, 2), "8": (2, 0), "16": (2, 0), "64": (2, 0)}
    assert " ".join(rows["8"].split()) == "8 dense 370 346 21.4 ✓ 23.6 ✓ 800 1.0 % 100"
    assert "For text.txt in packets of 1500 bytes, it takes the same." in out


@pytest.mark.usefixtures("here")
def test_text_may_need_less_than_the_worst_case(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "40G", "--text", "text.txt")
    assert status == 0
    assert "For text.txt in packets of 1500 bytes, the 16-lane dense decoder at 370 MHz" in out


@pytest.mark.usefixtures("here")
def test_when_nothing_carries_the_nearest_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "400G", "--text", "text.txt")
    assert status == 1
    assert "Nothing carries 400 Gbit/s on ecp5-85k in the worst case. Nearest comes the 64-lane dense" in out
    assert "96.2 Gbit/s with all packets of 65 bytes. It would need 1538 MHz." in out
    assert "nothing carries it: the 64-lane dense decoder comes to 185 Gbit/s." in out


@pytest.mark.usefixtures("here")
def test_one_packet_size_is_planned_for_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "180G", "--packet-size", "1500")
    assert status == 0
    assert "all packets of 1500 bytes, the 64-lane" in out


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "--rate"),
    (["--rate", "fast"], "got 'fast'"),
    (["--rate", "1G", "--core", "counter"], "one of validator, decoder, encoder, got 'counter'"),
    (["--rate", "1G", "--target", "ice40-hx8k"], "has no decoder on 'ice40-hx8k', only on ecp5-85k"),
    (["--rate", "1G", "--core", "encoder"], "no encoder on 'ecp5-85k': make figures with `runewire sweep`"),
    (["--rate", "1G", "--packet-size", "0..5"], "got '0..5'"),
    (["--rate", "1G", "--packet-size", "9..5"], "got '9..5'"),
    (["--rate", "1G", "--packet-size", "many"], "got 'many'"),
    (["--rate", "1G", "--text", "missing.txt"], "cannot read missing.txt"),
    (["--rate", "1G", "--text", "empty.txt"], "empty.txt is empty"),
    (["--rate", "1G", "--datasheet", "nowhere"], "no folder nowhere"),
    (["--rate", "1G", "--datasheet", "empty"], "the datasheet has no decoder on 'ecp5-85k': make figures"),
])
@pytest.mark.usefixtures("here")
def test_what_is_wrong_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
