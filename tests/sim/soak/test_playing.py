"""Rounds simulated and entered: planted faults are found, shrunk and saved; records continue."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from runewire_model import TranscoderParameters, ValidatorParameters
from runewire_sim import Stalls, VerilogDesign, generated
from runewire_sim.soak import (
    ABREAST,
    LEG,
    Round,
    SoakFailure,
    SoakRecord,
    Wrong,
    check,
    comparison,
    play,
    playing,
    retry,
    rounds,
    shrinking,
    soak_round,
)
from runewire_sim.soak import record as soak_record
from runewire_sim.stimuli import random_packets

PARAMETERS = ValidatorParameters(2)
PAIR = TranscoderParameters("utf-16le", "utf-8", 1)
E_ACUTE = "right ^ (right == 16'hA9C3)"
WAITED = "right ^ waited"


def planted(folder: Path, wrong: str) -> VerilogDesign:
    """A validator of two lanes that sends the data that ``wrong`` makes of what is ``right``."""
    sound = generated(PARAMETERS)
    text, count = re.subn(
        r"( +)(\w+_core core \((?:.|\n)*?\.m_axis_tdata +\()m_axis_tdata\)",
        rf"""\1wire [15:0] right;
\1reg waited;
\1always @(posedge aclk) waited <= m_axis_tvalid && !m_axis_tready;
\1assign m_axis_tdata = {wrong};
\1\2right)""", sound.verilog.read_text())
    assert count == 1
    file = folder / f"{sound.top}.v"
    file.write_text(text)
    return replace(sound, verilog=file)


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Rounds of one core, which `planted` replaces."""
    packets = [*random_packets(PARAMETERS, 300, 1), "abé c".encode(), b"z"]
    monkeypatch.setattr(playing, "round_of", lambda seed, number: Round(PARAMETERS, packets, Stalls(0.4, 0.4, 5)))
    return tmp_path


def fault(monkeypatch: pytest.MonkeyPatch, folder: Path, wrong: str) -> VerilogDesign:
    design = planted(folder, wrong)
    monkeypatch.setattr(playing, "generated", lambda parameters: design)
    return design


def by_pairs(monkeypatch: pytest.MonkeyPatch, cores: list[TranscoderParameters], packets: list[bytes]) -> None:
    """A soak by pairs of these cores, each with these packets."""
    for module in (soak_record, rounds):
        monkeypatch.setattr(module, "pairs", lambda: cores)
    monkeypatch.setattr(rounds, "pair_packets", lambda parameters, seed: packets)


def replayed(design: VerilogDesign, failure: SoakFailure) -> bool:
    """Whether what the failure's file and command say fails."""
    packets = [bytes.fromhex(line) for line in Path(failure.file).read_text().splitlines()]
    words = failure.command.split()
    options = dict(zip(words[3::2], words[4::2], strict=True))
    assert options["--packets"] == failure.file
    stall = float(options.get("--stall", 0))
    return check(design, packets, Stalls(stall, stall, int(options["--seed"])))[1] is not None


def test_a_planted_fault_is_found_shrunk_and_replayed(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = fault(monkeypatch, plant, E_ACUTE)
    record = SoakRecord(7)
    failure = soak_round(record, plant)
    assert failure is not None
    assert record.failures == [failure]
    assert Path(failure.file).read_text() == "c3a9\n"
    assert failure.what == "packet 0: byte 0: hardware C2 A9, model C3 A9"
    assert "--stall" not in failure.command
    assert replayed(design, failure)
    assert not replayed(generated(PARAMETERS), failure)


def test_a_fault_of_stalls_keeps_them(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = fault(monkeypatch, plant, WAITED)
    failure = soak_round(SoakRecord(), plant)
    assert failure is not None
    assert "--stall 0.4" in failure.command
    assert Path(failure.file).read_text().count("\n") == 1
    assert replayed(design, failure)
    assert not replayed(generated(PARAMETERS), failure)


def test_a_core_that_fails_is_left_alone(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault(monkeypatch, plant, E_ACUTE)
    record = SoakRecord(rounds=LEG * ABREAST - 2 * ABREAST)
    for passed in (1, 1, 1, 1 + ABREAST):
        before = record.rounds
        soak_round(record, plant)
        assert record.rounds == before + passed
    assert len(record.failures) == ABREAST
    assert record.rounds == LEG * ABREAST


def test_a_failure_that_agrees_now_is_forgotten(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulator was wrong, and not the core."""
    monkeypatch.setattr(shrinking, "TRIES", 0)
    with monkeypatch.context() as broken:
        broken.setattr(playing, "check", lambda *given: (check(*given)[0], Wrong(0, "packet 0: made up")))
        record = SoakRecord(7)
        soak_round(record, plant)
        retry(record)
        assert [failure.what for failure in record.failures] == ["packet 0: made up"]
    sent = record.packets
    retry(record)
    assert (record.failures, record.packets) == ([], sent)


def test_a_failure_of_another_core_than_the_present_one_stays(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = SoakRecord(7)
    with monkeypatch.context() as broken:
        fault(broken, plant, E_ACUTE)
        soak_round(record, plant)
    retry(record)
    assert len(record.failures) == 1


def test_an_interrupted_search_keeps_what_it_has(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = fault(monkeypatch, plant, E_ACUTE)

    def interrupt(packets: list[bytes], fails: object, encoding: object) -> list[bytes]:
        raise KeyboardInterrupt

    monkeypatch.setattr(shrinking, "shrink", interrupt)
    record = SoakRecord()
    with pytest.raises(KeyboardInterrupt):
        soak_round(record, plant)
    assert replayed(design, record.failures[0])


def test_what_agrees_in_hardware_and_model_is_held_against_cpython(
    plant: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comparison, "reference", lambda parameters, packet: (packet.replace(b"z", b"Z"), None))
    failure = soak_round(SoakRecord(), plant)
    assert failure is not None
    assert failure.what == "packet 0: hardware and golden model agree, CPython does not"


def test_a_record_grows_and_goes_on(plant: Path) -> None:
    record = SoakRecord()
    for _ in range(2):
        assert soak_round(record, plant) is None
        record = SoakRecord.of(record.json())
    packets = playing.round_of(0, 0).packets
    assert (record.rounds, record.packets, record.bytes) == (2, 2 * len(packets), 2 * sum(map(len, packets)))
    assert [(entry.packets, entry.bytes) for entry in record.configurations.values()] == \
        [(record.packets, record.bytes)]
    assert record.cycles > record.bytes / 2
    assert record.seconds > 0


def test_another_core_under_a_name_of_the_record_is_refused(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = SoakRecord()
    soak_round(record, plant)
    before = record.json()
    fault(monkeypatch, plant, WAITED)
    with pytest.raises(ValueError, match="the core runewire_validator_x2 has changed since the record was begun"):
        soak_round(record, plant)
    assert record.json() == before


def test_by_pairs_each_core_has_one_round(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cores = [PARAMETERS, PAIR]
    by_pairs(monkeypatch, cores, [b"a\xFF", b"\xC3\xA9"])
    record = SoakRecord(3, pairs=True)
    assert record.total == 2
    for number, parameters in enumerate(cores):
        assert rounds.pair_round(3, number).parameters == parameters
        assert soak_round(record, plant) is None
        record = SoakRecord.of(record.json())
    assert (record.rounds, record.packets, record.pairs) == (2, 4, True)
    assert SoakRecord().total is None


@pytest.mark.parametrize(("kind", "lanes", "quick"), [
    ("pairs", 8, None), ("pairs", 16, True), ("segments", 16, True), ("lines", 16, True),
    ("random", 16, None)])
def test_a_wide_core_of_one_round_is_compiled_quickly(
    monkeypatch: pytest.MonkeyPatch, kind: str, lanes: int, quick: bool | None,
) -> None:
    asked = []

    def noted(design: VerilogDesign, packets: list[bytes], stalls: Stalls, watch: None, quick: bool | None) -> object:
        asked.append(quick)
        return check(design, packets, stalls)

    this = Round(ValidatorParameters(lanes), [b"a"], Stalls())
    for name, value in (("round_of", lambda *_: this), ("pair_round", lambda *_: this), ("check", noted),
                        ("segment_round", lambda *_: this), ("line_round", lambda *_: this),
                        ("generated", lambda _: generated(PARAMETERS))):
        monkeypatch.setattr(playing, name, value)
    play(1, 0, kind, {})
    assert asked == [quick]


def test_by_pairs_what_holds_is_passed_over_and_a_changed_core_done_anew(
    plant: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_pairs(monkeypatch, [PARAMETERS, PAIR], [b"a\xFF", b"\xC3\xA9"])
    record = SoakRecord(3, pairs=True)
    for _ in range(2):
        soak_round(record, plant)
    whole = record.json()
    first, second = record.configurations.values()
    assert first.verilog != second.verilog
    assert first.present
    second.verilog = "another"
    first.generator = second.generator = "another"
    assert not first.present
    record.failures = [SoakFailure(0, "of the first", "", ""), SoakFailure(1, "of the second", "", "")]
    record.rounds = 0
    checked: list[str] = []
    check = playing.check
    monkeypatch.setattr(playing, "check", lambda design, *rest: (checked.append(design.top), check(design, *rest))[1])
    for _ in range(2):
        assert soak_round(record, plant) is None
    assert checked == [list(record.configurations)[1]]
    assert [failure.what for failure in record.failures] == ["of the first"]
    before = SoakRecord.of(whole)
    assert (record.rounds, record.packets, record.bytes) == (2, before.packets, before.bytes)
    assert record.configurations == before.configurations


def test_a_pair_that_fails_is_replayed_by_its_encodings(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    by_pairs(monkeypatch, [PAIR], [b"a\0"])
    monkeypatch.setattr(comparison, "reference", lambda parameters, packet: (b"", None))
    record = SoakRecord(pairs=True)
    failure = soak_round(record, plant)
    assert failure is not None
    assert failure.command.startswith("runewire simulate transcoder --from utf-16le --to utf-8 --lanes 1 ")
    assert record.rounds == 1
