import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import runewire
from runewire_benchmark.datasheet import folder, load, targets, with_usual_options
from runewire_model import DecoderParameters, EncoderParameters, ParameterError, ValidatorParameters


def record(**changes: Any) -> dict[str, Any]:
    return {
        "core": "decoder", "lanes": 8, "packing": "dense", "target": "ecp5-85k", "speed": "8",
        "seeds": [{"seed": 1, "fmax_mhz": 410.0}], "fmax_mhz": 410.0, "luts": 1500, "ffs": 4000,
        "latency_cycles": 20, "clock_mhz": 370, "device": "Lattice LFE5U-85F", "capacity": {"luts": 83640},
        "tool_versions": {"yosys": "0.70"}, **changes,
    }


def write(directory: Path, name: str, content: object) -> None:
    (directory / name).write_text(json.dumps(content))


def test_clock_is_what_the_device_carries(tmp_path: Path) -> None:
    write(tmp_path, "a.json", record())
    (entry,) = load(tmp_path)
    assert entry.fmax_mhz == 410
    assert entry.clock_mhz == pytest.approx(370)
    assert entry.name == "8-lane dense decoder"
    assert entry.parameters == DecoderParameters(lanes=8)


def test_the_name_says_which_devices_a_core_is_laid_out_for(tmp_path: Path) -> None:
    write(tmp_path, "a.json", [record(family="gowin-5a"), record(family="gowin-5a", errors="drop")])
    assert [entry.name for entry in load(tmp_path)] == [
        "8-lane dense decoder for gowin-5a", "8-lane dense decoder for gowin-5a with errors drop"]


def test_clock_is_fmax_where_the_device_carries_more(tmp_path: Path) -> None:
    write(tmp_path, "a.json", record(fmax_mhz=300.0, clock_mhz=300.0))
    assert load(tmp_path)[0].clock_mhz == 300


def test_of_two_memories_of_a_core_the_faster_clock_counts(tmp_path: Path) -> None:
    def made_of(memory: str, clock: float, **changes: Any) -> dict[str, Any]:
        return record(clock_mhz=clock, memory={"made_of": memory}, **changes)

    write(tmp_path, "a.json", [
        made_of("block", 271.44), made_of("distributed", 350.0),
        made_of("block", 250.0, lanes=64), made_of("distributed", 240.0, lanes=64),
        made_of("block", 250.0, lanes=64, target="ecp5-25k"), made_of("block", 200.0, lanes=64, speed="6"),
    ])
    assert [(entry.lanes, entry.target, entry.speed, entry.memory, entry.clock_mhz) for entry in load(tmp_path)] == [
        (8, "ecp5-85k", "8", "distributed", 350.0), (64, "ecp5-85k", "8", "block", 250.0),
        (64, "ecp5-25k", "8", "block", 250.0), (64, "ecp5-85k", "6", "block", 200.0)]


def test_a_clock_of_version_0_1_0_is_capped_by_what_is_known_now(tmp_path: Path) -> None:
    old = Path(__file__).parents[1] / "fpga" / "measurement-0.1.0.json"
    write(tmp_path, "a.json", json.loads(old.read_bytes()))
    (entry,) = load(tmp_path)
    assert (entry.fmax_mhz, entry.clock_mhz, entry.memory) == (357.4, 271.44, "block")


def test_encoder_has_no_packing(tmp_path: Path) -> None:
    write(tmp_path, "a.json", record(core="encoder", lanes=4, packing=None))
    (entry,) = load(tmp_path)
    assert entry.packing is None
    assert entry.name == "4-lane encoder"
    assert entry.parameters == EncoderParameters(lanes=4)


def test_device_of_unknown_size_has_no_luts(tmp_path: Path) -> None:
    write(tmp_path, "a.json", [record(), record(lanes=16, capacity=None)])
    assert [entry.device_luts for entry in load(tmp_path)] == [83640, None]


def test_records_come_from_all_files_and_in_order(tmp_path: Path) -> None:
    write(tmp_path, "b.json", [record(lanes=16), record(lanes=2)])
    write(tmp_path, "a.json", record(core="validator", packing=None, target="ice40-hx8k"))
    write(tmp_path, "c.json", record(packing="sparse"))
    (tmp_path / "notes.txt").write_text("not for us")
    entries = load(tmp_path)
    assert [entry.name for entry in entries] == [
        "2-lane dense decoder", "16-lane dense decoder", "8-lane sparse decoder", "8-lane validator"]
    assert targets(entries) == ["ecp5-85k", "ice40-hx8k"]


@pytest.mark.parametrize(("content", "message"), [
    ("{", r"x\.json is no datasheet"),
    ('{"core": "decoder"}', r"x\.json is no datasheet: a record lacks 'fmax_mhz'"),
    ("[3]", r"x\.json is no datasheet"),
    (json.dumps(record(lanes="many")), r"x\.json is no datasheet: .*many"),
    (json.dumps(record(lanes=3)), r"x\.json is no datasheet: lanes must be a power of two"),
    (json.dumps(record(core="counter")), r"x\.json is no datasheet: core must be one of"),
])
def test_file_that_is_no_datasheet_is_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(ParameterError, match=message):
        load(tmp_path)


def test_a_core_with_options_is_another_one(tmp_path: Path) -> None:
    write(tmp_path, "a.json", [record(), record(records=None, errors="drop"), record(
        core="validator", packing=None, records=0x0A, count=["records"], clock_mhz=400)])
    entries = load(tmp_path)
    assert [entry.name for entry in entries] == [
        "8-lane dense decoder", "8-lane dense decoder with errors drop",
        "8-lane validator with count records, records 0A"]
    assert entries[2].parameters == ValidatorParameters(lanes=8, records=0x0A, count=("records",))
    assert with_usual_options(entries) == entries[:1]


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"no folder .*nowhere"):
        load(tmp_path / "nowhere")


def test_wheel_has_the_figures_where_they_are_looked_for() -> None:
    root = Path(runewire.__file__).parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert "records/datasheet" in wheel["only-include"]
    assert wheel["sources"]["records/datasheet"] == "runewire_benchmark/data"
    assert folder() == root / "records" / "datasheet"


def test_the_projects_own_datasheet_can_be_read() -> None:
    entries = load()
    if folder().is_dir():
        assert entries
    for entry in entries:
        assert entry.parameters.core == entry.core
        assert 0 < entry.clock_mhz <= entry.fmax_mhz
