import json
import math
import random
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runewire.cli import main
from runewire.plan import Option, plan, worst_packet
from runewire_benchmark.datasheet import Entry
from runewire_fpga.points import Trials
from runewire_model import TranscoderParameters, parameters
from runewire_model.timeline import beats


def entry(core: str, lanes: int, clock_mhz: float = 370.0, luts: int = 0, **options: str) -> Entry:
    return Entry(parameters(core, lanes=lanes, **options), "ecp5-85k", "Lattice LFE5U-85F", 84_000, "8",
                 clock_mhz, clock_mhz, luts or 100 * lanes, 0, 20, {})


@pytest.mark.parametrize("options", [{}, {"flows": 1}, {"flows": 2, "id": 1}, {"null_bytes": "anywhere"}], ids=str)
@pytest.mark.parametrize("overhead", [0, 20])
@pytest.mark.parametrize("lanes", [1, 2, 8, 64, 128])
@pytest.mark.parametrize("sizes", [range(1, 2), range(1, 1501), range(64, 1501), range(65, 66), range(60, 66),
                                   range(128, 200), range(130, 250), range(1500, 1501)])
def test_worst_size_is_the_worst_of_all(lanes: int, sizes: range, overhead: int, options: dict[str, Any]) -> None:
    core = parameters("validator", lanes=lanes, **options)

    def filled(size: int) -> float:
        return (size + overhead) / beats(core, [size])

    worst = worst_packet(core, sizes, overhead)
    assert worst in sizes
    assert filled(worst) == min(map(filled, sizes))


def test_last_beat_that_is_nearly_empty_halves_the_rate() -> None:
    (option,) = plan([entry("decoder", 64)], 100e9, range(64, 1501)).options
    assert option.worst_packet == 65
    assert option.worst_bits == pytest.approx(65 / 2 * 8 * 370e6)
    assert option.needed_mhz == pytest.approx(100e9 / (65 / 2 * 8) / 1e6)
    assert option.text_bits is None


def test_segments_take_a_beat_more_if_their_last_is_nearly_full() -> None:
    """63 bytes and up to three carried ones need two beats of 64, 62 are enough for that."""
    core = replace(entry("decoder", 64), parameters=parameters("decoder", lanes=64, flows=256, id=8))
    (option,) = plan([core], 100e9, range(61, 1501), b"x" * 3000).options
    assert option.worst_packet == 62
    assert option.worst_bits == pytest.approx(62 / 2 * 8 * 370e6)
    assert option.text_bits == pytest.approx(1500 / 24 * 8 * 370e6)
    (option,) = plan([core], 100e9, range(61, 62)).options
    assert option.worst_bits == pytest.approx(61 * 8 * 370e6)


def test_text_goes_in_packets_of_the_largest_size() -> None:
    (option,) = plan([entry("decoder", 64)], 100e9, range(64, 1501), b"x" * 3001).options
    assert option.text_bits == pytest.approx(3001 / (24 + 24 + 1) * 8 * 370e6)


def test_encoder_is_planned_in_utf8_and_for_ascii() -> None:
    text = "中".encode() * 100
    (option,) = plan([entry("encoder", 4)], 10e9, range(64, 301), text).options
    assert option.worst_bits == pytest.approx(65 / 17 * 8 * 370e6)
    assert option.text_bits == pytest.approx(300 / 25 * 8 * 370e6)


@pytest.mark.parametrize(("source", "target", "worst", "text"), [
    # Counted in UTF-8, in which a unit has at least a byte; U+4E2D has three.
    ("utf-16le", "utf-8", 65 / 17, 300 / 25), ("latin-1", "utf-8", 65 / 17, 300 / 25),
    # Counted in the input's encoding.
    ("utf-8", "utf-16le", 65 / 17, 300 / 75), ("utf-16be", "utf-32le", 65 / 9, 300 / 38),
])
def test_a_transcoder_is_planned_in_utf8_or_what_goes_in(source: str, target: str, worst: float, text: float) -> None:
    core = replace(entry("decoder", 4), parameters=TranscoderParameters(source, target, 4))
    (option,) = plan([core], 10e9, range(64, 301), "中".encode() * 100).options
    assert option.worst_packet == 65
    assert option.worst_bits == pytest.approx(worst * 8 * 370e6)
    assert option.text_bits == pytest.approx(text * 8 * 370e6)


def test_a_core_with_options_is_not_planned_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"core": "validator", "target": "ecp5-85k", "device": "Lattice LFE5U-85F", "capacity": None, "speed": "8",
              "fmax_mhz": 370, "clock_mhz": 370, "luts": 900, "ffs": 1000, "latency_cycles": 20, "tool_versions": {}}
    (tmp_path / "a.json").write_text(json.dumps([{**record, "lanes": 8}, {**record, "lanes": 16, "report": "flag"}]))
    assert main(["plan", "--rate", "1G", "--core", "validator", "--datasheet", str(tmp_path), "--target",
                 "ecp5-85k"]) == 0
    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "✓" in line]
    assert rows == ["8"]


def test_a_transcoder_is_planned_with_by_its_encodings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = {"core": "transcoder", "from": "utf-16le", "to": "utf-8", "lanes": 8, "target": "ecp5-85k",
              "device": "Lattice LFE5U-85F", "capacity": None, "speed": "8", "fmax_mhz": 370, "clock_mhz": 370,
              "luts": 900, "ffs": 1000, "latency_cycles": 20, "tool_versions": {}}
    other = {**record, "from": "utf-8", "to": "utf-16le", "packing": "dense", "lanes": 16}
    (tmp_path / "a.json").write_text(json.dumps([record, other, {**record, "to": None, "lanes": 32}]))
    plans = [("transcoder", "--from", "utf-16le", "--to", "utf-8"), ("validator", "--encoding", "utf-16le"),
             ("transcoder", "--from", "utf-8", "--to", "utf-16le")]
    found = []
    for core, *between in plans:
        assert main(["plan", "--rate", "1G", "--target", "ecp5-85k", "--core", core, *between,
                     "--datasheet", str(tmp_path)]) == 0
        out = capsys.readouterr().out
        found += [line.split()[0] for line in out.splitlines() if "✓" in line]
    assert found == ["8", "32", "16"]
    assert "16-lane dense UTF-8 to UTF-16LE transcoder" in " ".join(out.split())
    assert main(["plan", "--rate", "1G", "--core", "transcoder", "--from", "ascii", "--to", "utf-8",
                 "--target", "ecp5-85k", "--datasheet", str(tmp_path)]) == 2
    assert "no ASCII to UTF-8 transcoder on 'ecp5-85k'" in capsys.readouterr().err


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
    assert {option.copies for option in found.carrying} == {1}


def test_where_one_core_does_not_do_several_stand_side_by_side() -> None:
    cores = [entry("decoder", 8, luts=900), entry("decoder", 16, luts=3000), entry("decoder", 32, luts=2900),
             entry("decoder", 64, clock_mhz=100.0)]
    (option,) = plan(cores, 150e9, range(1500, 1501)).carrying
    assert (option.entry.lanes, option.copies) == (32, 2)  # among the two with two copies, the smaller
    assert option.worst_bits < 150e9 < 2 * option.worst_bits
    assert [(r.name, r.used, r.capacity) for r in option.resources(2)] == [("LUT", 5800, 84_000), ("FF", 0, None)]


def test_three_times_the_rate_of_one_takes_three() -> None:
    (option,) = plan([entry("validator", 8, 370.1)], 3 * 8 * 8 * 370.1e6, range(8, 9)).options
    assert option.copies == 3
    (option,) = plan([entry("validator", 8, 370.1)], 3.0001 * 8 * 8 * 370.1e6, range(8, 9)).options
    assert option.copies == 4


@pytest.mark.parametrize(("changes", "fits"), [
    ({"luts": 33_600}, True), ({"luts": 33_601}, False), ({"ffs": 33_601, "device_ffs": 84_000}, False),
    ({"ffs": 33_601}, True), ({"block_rams": 84, "device_block_rams": 208}, False),
    ({"block_rams": 83, "device_block_rams": 208}, True), ({"block_rams": 83}, True),
])
def test_several_are_proposed_where_they_have_room(changes: dict[str, int], fits: bool) -> None:
    found = plan([replace(entry("decoder", 8), **changes)], 40e9, range(1500, 1501))
    assert bool(found.carrying) is fits
    assert found.options[0].fits(1)


def test_gaps_of_the_line_leave_the_cores_less_to_do() -> None:
    (option,) = plan([entry("decoder", 64)], 100e9, range(64, 1519), b"x" * 3037, overhead=20).options
    assert option.worst_packet == 65
    assert option.worst_bits == pytest.approx(85 / 2 * 8 * 370e6)
    assert option.text_bits == pytest.approx((3037 + 3 * 20) / (24 + 24 + 1) * 8 * 370e6)
    # A lane takes a byte a cycle, and rests in the gaps: the longest packets are its worst.
    (option,) = plan([entry("decoder", 1)], 1e9, range(64, 1519), overhead=20).options
    assert option.worst_packet == 1518
    assert option.worst_bits == pytest.approx(1538 / 1518 * 8 * 370e6)


def longest_queue(sizes: Sequence[int], worst: int, lanes: int, copies: int, in_turn: bool) -> float:
    """Beats in the longest queue, if packets of these sizes arrive without pauses.

    The line is as fast as the cores permit with packets of the worst size. A beat takes one unit of time.
    """
    byte = math.ceil(worst / lanes) / worst / copies
    waiting = [0.0] * copies
    longest = 0.0
    for number, size in enumerate(sizes):
        waiting = [max(0.0, queue - size * byte) for queue in waiting]
        waiting[number % copies if in_turn else waiting.index(min(waiting))] += math.ceil(size / lanes)
        longest = max(longest, *waiting)
    return longest


@pytest.mark.parametrize("copies", [2, 3, 5])
def test_queues_of_two_of_the_largest_are_enough(copies: int) -> None:
    lanes, packets = 32, range(64, 1501)
    worst, large = worst_packet(parameters("decoder", lanes=lanes), packets), math.ceil(1500 / 32)
    dice = random.Random(copies)
    mixed = {
        "random": [dice.choice(packets) for _ in range(5000)],
        "worst": [worst] * 5000,
        "bursts": ([1500] * copies + [worst] * 40) * 100,
        "unfair": ([1500] + [worst] * (copies - 1)) * 1000,
    }
    for sizes in mixed.values():
        assert longest_queue(sizes, worst, lanes, copies, in_turn=False) <= 2 * large
    assert longest_queue([worst] * 5000, worst, lanes, copies, in_turn=True) <= 2 * large
    # With round-robin all large packets would go to one core, so the advice is another.
    assert longest_queue(mixed["unfair"], worst, lanes, copies, in_turn=True) > 100 * large


def test_exactly_the_rate_is_enough() -> None:
    assert plan([entry("validator", 8, 250.0)], 16e9, range(8, 9)).options[0].copies == 1
    assert plan([entry("validator", 8, 250.0)], 16.0001e9, range(8, 9)).options[0].copies == 2


def test_nearest_is_what_carries_most_and_not_what_is_widest() -> None:
    cores = [entry("decoder", 32, 370.0), entry("decoder", 64, 150.0)]
    found = plan(cores, 1e14, range(1500, 1501))
    assert found.carrying == []
    assert found.nearest.entry == cores[0]


def test_share_of_the_device_and_latency() -> None:
    (option,) = plan([entry("decoder", 8, 250.0, luts=840)], 1e9, range(1, 2)).options
    assert option.resources(3)[0].share == pytest.approx(0.03)
    assert option.latency_ns == pytest.approx(80)
    unknown = Option(replace(option.entry, device_luts=None), 1, 1.0, 1.0, 1)
    assert [resource.share for resource in unknown.resources(1)] == [None, None]
    assert unknown.fits(100)


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
    status = main(["plan", "--datasheet", "sheet", "--target", "ecp5-85k", *arguments])
    streams = capsys.readouterr()
    return status, streams.out, streams.err


@pytest.mark.usefixtures("here")
def test_core_that_carries_the_rate_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "20G")
    assert status == 0
    assert out.startswith(
        "recommended: 8-lane dense decoder at 370 MHz, 800 LUT, 1.0 % of the Lattice LFE5U-85F\n"
        "  carries 21.4 Gbit/s for 20 Gbit/s (it needs 346 MHz) in the worst case, all packets of 65 bytes\n")


@pytest.mark.usefixtures("here")
def test_full_beats_are_recommended_before_those_with_holes(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sheet/sparse.json").write_text(json.dumps([record(16, packing="sparse", luts=10)]))
    _, out, _ = run(capsys, "--rate", "20G")
    first, _, second, _ = out.splitlines()[:4]
    assert first.startswith("recommended: 8-lane dense decoder at 370 MHz, 800 LUT")
    assert second.startswith("or: 16-lane sparse decoder at 370 MHz, 10 LUT")


@pytest.mark.usefixtures("here")
def test_table_marks_what_carries(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--rate", "20G", "--text", "text.txt")
    rows = {line.split()[0]: line for line in out.splitlines() if line[:1].isdigit()}
    assert {lanes: (line.count("✓"), line.count("✗")) for lanes, line in rows.items()} \
        == {"1": (0, 2), "8": (2, 0), "16": (2, 0), "64": (2, 0)}
    assert " ".join(rows["1"].split()) == "1 dense 370 2.96 ✗ 2.96 ✗ 7 700 7 – 0.8 % 100"
    assert " ".join(rows["8"].split()) == "8 dense 370 21.4 ✓ 23.6 ✓ 1 800 1 – 1.0 % 100"
    assert "For text.txt in packets of 1500 bytes, it takes the same." in out


@pytest.mark.usefixtures("here")
def test_several_cores_are_a_proposal_with_what_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "100G", "--text", "text.txt")
    assert status == 0
    assert out.startswith(
        "recommended: 2 × 64-lane dense decoder side by side at 370 MHz, 12800 LUT, 15.2 % of the Lattice LFE5U-85F\n"
        "  carries 192 Gbit/s for 100 Gbit/s in the worst case, all packets of 65 bytes\n")
    assert "For text.txt in packets of 1500 bytes, 64-lane dense decoder at 370 MHz" in out
    assert "each goes to the core with the fewest beats waiting" in out
    assert "A queue of 3000 bytes, two of the largest" in out


@pytest.mark.usefixtures("here")
def test_a_core_of_any_encodings_is_named_by_them(capsys: pytest.CaptureFixture[str]) -> None:
    pair = {"core": "transcoder", "from": "utf-16le", "to": "utf-8"}
    sparse = record(8, **pair)
    del sparse["packing"]
    Path("sheet/pair.json").write_text(json.dumps(sparse))
    asked = ("--rate", "5G", "--core", "transcoder", "--from", "utf-16le", "--to")
    status, out, _ = run(capsys, *asked, "utf-8")
    assert status == 0
    assert "8-lane UTF-16LE to UTF-8 transcoder at 370 MHz" in out
    assert run(capsys, *asked, "utf-16be")[2] == (
        "runewire: the datasheet has no UTF-16LE to UTF-16BE transcoder on 'ecp5-85k': measure it with `runewire sweep "
        "--cores transcoder --from utf-16le --to utf-16be --lanes 8 --targets ecp5-85k --beside '' -o measured/rows`, "
        "then plan with --datasheet measured/rows\n")


@pytest.mark.usefixtures("here")
def test_one_core_needs_no_word_about_several(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "--rate", "20G", "--text", "text.txt")
    assert "side by side" not in out


@pytest.mark.usefixtures("here")
def test_ethernet_counts_gap_and_preamble_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "100G", "--ethernet")
    assert status == 0
    assert "a frame of 1518 bytes, header and FCS among them, takes 1538." in out
    assert "recommended: 64-lane dense decoder at 370 MHz" in out
    assert "carries 126 Gbit/s for 100 Gbit/s (it needs 294 MHz) in the worst case, all frames of 65 bytes" in out
    assert run(capsys, "--rate", "100G", "--ethernet", "--packet-size", "64..1518")[1] == out


@pytest.mark.usefixtures("here")
def test_when_nothing_has_room_the_nearest_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "10T", "--text", "text.txt")
    assert status == 1
    assert out.startswith(
        "recommended: none. Nothing that has room on ecp5-85k carries 10000 Gbit/s in the worst case.\n"
        "  Nearest is 64-lane dense decoder at 370 MHz: 96.2 Gbit/s with all packets of 65 bytes.\n"
        "  It would need 38462 MHz, or 104 of it, with 792.4 % of")
    assert "For text.txt in packets of 1500 bytes, nothing that has room carries it either." in out


@pytest.mark.usefixtures("here")
def test_text_may_take_another_core(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "22G", "--text", "text.txt")
    assert status == 0
    assert "recommended: 16-lane dense decoder at 370 MHz, 1600 LUT" in out
    assert "For text.txt in packets of 1500 bytes, 8-lane dense decoder at 370 MHz" in out


def test_the_project_s_own_datasheet_carries_100_gigabits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--rate", "100G"]) == 0
    assert capsys.readouterr().out.startswith("buy: ")
    assert main(["plan", "--rate", "100G", "--target", "ecp5-85k"]) == 0
    assert capsys.readouterr().out.startswith("recommended: ")


@pytest.mark.usefixtures("here")
def test_one_packet_size_is_planned_for_alone(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--rate", "180G", "--packet-size", "1500")
    assert status == 0
    assert "all packets of 1500 bytes" in out


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "--rate"),
    (["--rate", "fast"], "got 'fast'"),
    (["--rate", "100"], "--rate needs a unit, got '100': write 100G for Gbit/s, 100M for Mbit/s, 100bit/s for bits"),
    (["--rate", "1G", "--core", "decodr"],
     "--core must be one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, got "
     "'decodr': did you mean 'decoder'?"),
    (["--rate", "1G", "--core", "validator", "--from", "utf-16le"],
     "the validator has no option --from: did you mean --encoding utf-16le?"),
    (["--rate", "1G", "--target", "ecp5-85"], "got 'ecp5-85': did you mean 'ecp5-85k'?"),
    (["--rate", "1G", "--core", "counter"],
     "one of validator, decoder, encoder, sanitizer, packer, splitter, filter, transcoder, got 'counter'"),
    (["--rate", "1G", "--target", "ice40-hx8k"], "has no decoder on 'ice40-hx8k', only on ecp5-85k"),
    (["--rate", "1G", "--core", "encoder"],
     "no encoder on 'ecp5-85k': measure it with `runewire sweep --cores encoder --lanes 4 --targets ecp5-85k "),
    (["--rate", "1G", "--flows", "0"], "--flows must be a number from 1 to 65536, got 0"),
    (["--rate", "1G", "--core", "transcoder", "--from", "latin-1", "--to", "utf-8", "--flows", "1"],
     "--flows needs a source of UTF-8, UTF-16 or UTF-32, got Latin-1"),
    (["--rate", "1G", "--null-bytes", "here"], "--null-bytes must be one of end, anywhere, got 'here'"),
    (["--rate", "1G", "--packet-size", "0..5"], "got '0..5'"),
    (["--rate", "1G", "--packet-size", "9..5"], "got '9..5'"),
    (["--rate", "1G", "--packet-size", "many"], "got 'many'"),
    (["--rate", "1G", "--text", "missing.txt"], "cannot read missing.txt"),
    (["--rate", "1G", "--text", "empty.txt"], "empty.txt is empty"),
    (["--rate", "1G", "--datasheet", "nowhere"], "no folder nowhere"),
    (["--rate", "1G", "--datasheet", "empty"],
     "the datasheet has no decoder on 'ecp5-85k': measure it with `runewire sweep"),
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


@pytest.mark.usefixtures("here")
def test_json_says_what_the_table_says(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "--rate", "20G", "--text", "text.txt", "--json")
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert told["target"] == "ecp5-85k"
    assert told["rate_bits_per_second"] == 20e9
    assert told["packet_bytes"] == {"least": 64, "most": 1500, "overhead": 0}
    assert [each["core"]["lanes"] for each in told["cores"]] == [1, 8, 16, 64]
    (number,) = told["proposed"]
    assert told["proposed_for_text"] == [number]
    found = told["cores"][number]
    assert found["name"] == "8-lane dense decoder"
    assert (found["copies"], found["fits"], found["latency_cycles"]) == (1, True, 37)
    assert found["worst_bits_per_second"] == pytest.approx(21.4e9, rel=0.01)
    assert found["resources"][0] == {"name": "LUT", "used": 800, "available": 84_000}
    assert run(capsys, "--rate", "10T", "--json")[0] == 1


def test_the_sanitizers_of_the_datasheet_are_planned_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--rate", "40G", "--core", "sanitizer", "--target", "ecp5-85k"]) == 0
    out = capsys.readouterr().out
    assert [line.split("with")[0].split() for line in out.splitlines() if "with errors drop  " in line] == [
        ["16", "dense"], ["64", "dense"]]
    assert "The datasheet has no sanitizer without options." in out
    assert "recommended: 64-lane dense sanitizer with errors drop at" in out


@pytest.mark.usefixtures("here")
def test_a_core_without_options_is_preferred(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sheet/more.json").write_text(json.dumps([record(32, errors="drop"), record(32, report="flag")]))
    _, out, _ = run(capsys, "--rate", "20G")
    assert [line.split()[0] for line in out.splitlines() if line[:1].isdigit()] == ["1", "8", "16", "64"]
    assert "without options" not in out


@pytest.mark.usefixtures("here")
def test_cores_with_flows_are_planned_with_where_flows_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """As many flows as asked or more serve."""
    Path("sheet/flows.json").write_text(json.dumps([
        record(2, flows=1), record(4, flows=16, id=4), record(8, flows=256, id=8), record(32, flows=1024, id=10),
        record(16, flows=256, id=8, null_bytes="anywhere"), record(64, flows=256, id=8, user=1)]))
    status, out, _ = run(capsys, "--rate", "20G", "--flows", "256", "--packet-size", "1500")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines() if line[:1].isdigit()] == ["8", "32"]
    assert out.startswith("recommended: 8-lane dense decoder with id 8, flows 256 at 370 MHz, 800 LUT")
    assert "Packets are segments." in out
    assert "without options" not in out
    _, out, _ = run(capsys, "--rate", "20G", "--flows", "9", "--null-bytes", "anywhere")
    assert "recommended: 16-lane dense decoder with id 8, null-bytes anywhere, flows 256 at" in out.replace("\n", " ")
    assert "The rates are of full beats: a null byte takes the place of a byte." in out
    _, out, _ = run(capsys, "--rate", "20G")
    assert [line.split()[0] for line in out.splitlines() if line[:1].isdigit()] == ["1", "8", "16", "64"]
    _, out, _ = run(capsys, "--rate", "150G", "--flows", "256")
    assert out.startswith("recommended: 3 × 32-lane dense decoder with id 10, flows 1024 side by side")
    assert "all segments of a flow go to the same core" in out
    assert "fewest beats waiting" not in out
    assert run(capsys, "--rate", "1G", "--flows", "5000")[2].startswith(
        "runewire: the datasheet has no decoder with id 13, flows 5000 on 'ecp5-85k': measure it with `runewire sweep "
        "--cores decoder --lanes 8 --id 13 --flows 5000 --targets ecp5-85k ")


@pytest.mark.parametrize("core", [["sanitizer", "--target", "ice40-hx8k"], ["validator", "--encoding", "ascii"],
                                  ["decoder", "--flows", "256", "--null-bytes", "anywhere"],
                                  ["transcoder", "--from", "latin-1", "--to", "utf-16"]])
def test_the_advice_to_measure_is_taken(core: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str],
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that the message names begins to measure what is planned for."""
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "--rate", "1G", "--core", *core]) == 2
    advised = capsys.readouterr().err.split("`")[1]
    begun: list[tuple[list[Any], list[Any]]] = []

    def measure(points: Sequence[Any], trials: Trials, **_: Any) -> None:
        begun.append(([*points], [*trials.variants]))

    monkeypatch.setattr("runewire.commands.sweep.run", measure)
    monkeypatch.setattr("runewire.commands.sweep._written", lambda output, jobs: output)
    program, *arguments = shlex.split(advised)
    assert program == "runewire"
    assert main(arguments) == 0
    (points, variants), = begun
    assert [variant.value for variant in variants] == ["core"]
    assert {point.target for point in points} == {core[2] if core[0] == "sanitizer" else "ecp5-85k"}
    assert {point.parameters.lanes for point in points} == {8}


@pytest.mark.parametrize(("encoding", "marks"), [
    ("utf-8", ("✓", "✗")), ("ascii", ("yes", "no")), ("cp1252", ("yes", "no"))])
def test_marks_can_be_read_in_every_encoding(encoding: str, marks: tuple[str, str], printed) -> None:
    status, out = printed(encoding, "plan", "--rate", "20G")
    assert status == 0
    assert [mark in out for mark in marks] == [True, True]
