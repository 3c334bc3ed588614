"""Plans for cores of records: packets of several lines, rejects, record reports, splitters before cores."""

import json
from pathlib import Path
from random import Random

import pytest
from runewire.cli import main
from runewire.plan import plan
from runewire_benchmark.datasheet import Entry
from runewire_benchmark.throughput import cycles_of
from runewire_model import TranscoderParameters, parameters

CORES = [parameters("filter", lanes=8), parameters("splitter", lanes=64), parameters("splitter", lanes=1),
         parameters("validator", lanes=8, split=0x0A), parameters("decoder", lanes=4, split=0x0A),
         parameters("decoder", lanes=4, split=0x0A, pipeline="compact")]


def entry(core: TranscoderParameters, clock_mhz: float = 250.0) -> Entry:
    return Entry(core, "ecp5-85k", "Lattice LFE5U-85F", 84_000, "8", clock_mhz, clock_mhz, 3000, 0, 20, {})


@pytest.mark.parametrize("overhead", [0, 20])
@pytest.mark.parametrize("records", [range(1, 9), range(9, 10), range(20, 70), range(100, 301)], ids=str)
@pytest.mark.parametrize("core", CORES, ids=str)
def test_no_packet_of_whole_records_is_slower_than_the_worst(core: TranscoderParameters, records: range,
                                                             overhead: int) -> None:
    """The cycle model's parts of the core, one of which has the most beats."""
    (option,) = plan([entry(core)], 1e9, range(64, 1501), overhead=overhead, records=records).options
    random = Random(records[-1])
    for kind in range(20):
        size = random.randrange(max(64, records[-1]), 1501)
        packet = b""
        while len(packet) + records[-1] <= size:
            packet += b"a" * ((option.worst_record or records[0]) if kind < 8 else random.choice(records))
            packet = packet[:-1] + b"\n"
        if len(packet) < 64:
            continue
        bits = 8 * 250e6 * (len(packet) + overhead) / cycles_of(core, [packet])
        assert bits >= option.worst_bits * 0.999999


@pytest.mark.parametrize("core", CORES[:4], ids=str)
def test_packets_full_of_the_worst_records_have_the_worst_rate(core: TranscoderParameters) -> None:
    (first,) = plan([entry(core)], 1e9, range(64, 1501), records=range(9, 12)).options
    if first.worst_record is None:
        assert core.lanes == 1
        return
    size = 1500 // first.worst_record * first.worst_record
    (option,) = plan([entry(core)], 1e9, range(64, size + 1), overhead=20, records=range(9, 12)).options
    assert option.worst_record == first.worst_record
    assert option.worst_packet == size
    packet = (b"a" * (first.worst_record - 1) + b"\n") * (size // first.worst_record)
    assert option.worst_bits == pytest.approx(8 * 250e6 * (size + 20) / cycles_of(core, [packet]))


def test_packets_limit_the_rate_if_records_are_long() -> None:
    (option,) = plan([entry(parameters("splitter", lanes=64))], 1e9, range(65, 1501), records=range(1500, 1501)).options
    assert (option.worst_packet, option.worst_record) == (65, None)


def test_a_text_s_own_lines_count() -> None:
    (option,) = plan([entry(CORES[0])], 1e9, range(64, 1001), b"abc\n" * 500).options
    assert option.text_bits == pytest.approx(8 * 250e6 * 4)
    core = parameters("validator", lanes=8, records=0x0A, record_report=True)
    for record, rate in ((b"a\n", 8), (b"\xFF\n", 2)):
        (option,) = plan([entry(core)], 1e9, range(64, 1001), record * 1000).options
        assert option.text_bits == pytest.approx(8 * 250e6 * rate)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A datasheet of an 8-lane filter, a splitter, and validators with records."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sheet").mkdir()
    common = {"lanes": 8, "target": "ecp5-85k", "device": "Lattice LFE5U-85F", "capacity": {"luts": 84_000},
              "speed": "8", "fmax_mhz": 250, "clock_mhz": 250, "luts": 900, "ffs": 1000, "latency_cycles": 20,
              "tool_versions": {}}
    cores = [{"core": "filter"}, {"core": "splitter"}, {"core": "validator"}, {"core": "validator", "records": 10},
             {"core": "validator", "records": 10, "record_report": True}]
    (tmp_path / "sheet" / "a.json").write_text(json.dumps([{**common, **core} for core in cores]))
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["plan", "--rate", "5G", "--datasheet", "sheet", "--target", "ecp5-85k", *arguments])
    streams = capsys.readouterr()
    return status, streams.out.replace("\n", " "), streams.err


@pytest.mark.usefixtures("here")
def test_lines_are_planned_for_and_the_plan_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--core", "filter", "--record-size", "20..200")
    assert status == 0
    assert out.startswith("recommended: 8-lane filter at 250 MHz, 900 LUT")
    assert "carries 12.5 Gbit/s for 5 Gbit/s (it needs 100 MHz) in the worst case, all records of 25 bytes" in out
    assert "The rates are of packets of whole records with 20 to 200 bytes each, delimiter included." in out
    assert "one record a packet" not in out
    assert "with 9 bytes each" in run(capsys, "--core", "splitter", "--record-size", "9")[1]
    assert "one record a packet" in run(capsys, "--core", "filter")[1]
    status, out, _ = run(capsys, "--core", "filter", "--record-size", "2", "--rate", "5T")
    assert status == 1
    assert "Nearest is 8-lane filter at 250 MHz: 4 Gbit/s with all records of 2 bytes." in out


@pytest.mark.usefixtures("here")
def test_rows_with_the_ports_of_records_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    def named(*arguments: str) -> list[str]:
        out = json.loads(run(capsys, "--json", "--core", "validator", *arguments)[1])
        return [each["name"] for each in out["cores"]]

    assert named() == ["8-lane validator"]
    # Any delimiter serves.
    assert named("--records", "2C") == ["8-lane validator with records 0A"]
    assert named("--records", "0A", "--record-report") == ["8-lane validator with records 0A, record-report yes"]
    assert "at most one ill-formed record that ends in a beat" in run(
        capsys, "--core", "validator", "--records", "0A", "--record-report")[1]


@pytest.mark.usefixtures("here")
def test_json_has_the_records(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "--core", "filter", "--record-size", "20..200", "--json")[1])
    assert found["record_bytes"] == {"least": 20, "most": 200}
    (core,) = found["cores"]
    assert (core["worst_packet_bytes"], core["worst_record_bytes"]) == (1500, 25)
    found = json.loads(run(capsys, "--core", "filter", "--json")[1])
    assert (found["record_bytes"], found["cores"][0]["worst_record_bytes"]) == (None, None)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("arguments", "message"), [
    (["--core", "filter", "--rejects"],
     "the datasheet has no filter with rejects on 'ecp5-85k': measure it with `runewire sweep --cores filter --lanes 8 "
     "--rejects --targets ecp5-85k --beside '' -o measured/rows`, then plan with --datasheet measured/rows. Without "
     "--rejects it has one"),
    (["--core", "validator", "--split", "0A"],
     "Without --split it has one; the splitter is a core of its own, --core splitter"),
    (["--core", "validator", "--split", "0A", "--null-bytes", "anywhere"],
     "Without --null-bytes and --split it has one; the splitter"),
    (["--core", "validator", "--flows", "2", "--records", "0A"], "Without --flows it has one"),
    (["--core", "validator", "--record-report"], "--record-report needs --records, such as --records 0A"),
    (["--core", "validator", "--rejects"], "the validator has no option --rejects: the filter has it"),
    (["--core", "validator", "--record-size", "8"],
     "--record-size goes with the splitter, the filter and --split, got validator"),
    (["--core", "filter", "--record-size", "0"], "--record-size must be bytes such as 64..1500 or 1500, from 1 up"),
    (["--core", "filter", "--record-size", "8..20000"], "the filter rejects records of more than 16384 bytes"),
    (["--core", "splitter", "--record-size", "8..2000"],
     "a record ends with its packet, which has 1500 bytes at most; add --packet-size 64..2000"),
])
def test_what_is_wrong_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_the_project_s_own_filter_carries_10_gigabit_ethernet_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--rate", "10G", "--ethernet", "--core", "filter", "--record-size", "32..200"]) == 0
    assert "8-lane filter at" in capsys.readouterr().out
