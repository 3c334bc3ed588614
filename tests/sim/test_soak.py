"""The soak: its rounds, its second reference, and what it does with a fault that it finds."""

import re
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import pytest
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.report import COUNTERS, Sidebands
from runewire_sim import Stalls, VerilogDesign, generated, soak
from runewire_sim.soak import (
    ABREAST,
    LEG,
    Round,
    SoakFailure,
    SoakRecord,
    Wrong,
    check,
    core_number,
    reference,
    reference_beside,
    retry,
    round_of,
    shrink,
    soak_round,
)
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
    monkeypatch.setattr(soak, "round_of", lambda seed, number: Round(PARAMETERS, packets, Stalls(0.4, 0.4, 5)))
    return tmp_path


def fault(monkeypatch: pytest.MonkeyPatch, folder: Path, wrong: str) -> VerilogDesign:
    design = planted(folder, wrong)
    monkeypatch.setattr(soak, "generated", lambda parameters: design)
    return design


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
    monkeypatch.setattr(soak, "TRIES", 0)
    with monkeypatch.context() as broken:
        broken.setattr(soak, "check", lambda *given: (check(*given)[0], Wrong(0, "packet 0: made up")))
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

    monkeypatch.setattr(soak, "shrink", interrupt)
    record = SoakRecord()
    with pytest.raises(KeyboardInterrupt):
        soak_round(record, plant)
    assert replayed(design, record.failures[0])


def test_what_agrees_in_hardware_and_model_is_held_against_cpython(
    plant: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(soak, "reference", lambda parameters, packet: (packet.replace(b"z", b"Z"), None))
    failure = soak_round(SoakRecord(), plant)
    assert failure is not None
    assert failure.what == "packet 0: hardware and golden model agree, CPython does not"


def test_a_record_grows_and_goes_on(plant: Path) -> None:
    record = SoakRecord()
    for _ in range(2):
        assert soak_round(record, plant) is None
        record = SoakRecord.of(record.json())
    packets = soak.round_of(0, 0).packets
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


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"seed": 1, "failures": [], "configurations": {}, "more": 1}', "7"])
def test_another_text_is_no_record(text: str) -> None:
    with pytest.raises(ValueError, match="it is no record of a soak"):
        SoakRecord.of(text)


def firsts(cores: int) -> list[int]:
    """The first round of each of so many cores."""
    legs = range(0, cores * LEG, LEG * ABREAST)
    return [leg + number for leg in legs for number in range(ABREAST)]


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds that are made up at once."""
    monkeypatch.setattr(soak, "CYCLES", 6000)
    monkeypatch.setattr(soak, "PACKETS", 400)


@pytest.mark.usefixtures("short_rounds")
def test_rounds_are_the_same_for_the_same_seed() -> None:
    assert round_of(3, 40) == round_of(3, 40)
    assert round_of(3, 40).packets != round_of(4, 40).packets


def test_by_pairs_each_core_has_one_round(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cores = [PARAMETERS, PAIR]
    monkeypatch.setattr(soak, "pairs", lambda: cores)
    monkeypatch.setattr(soak, "pair_packets", lambda parameters, seed: [b"a\xFF", b"\xC3\xA9"])
    record = SoakRecord(3, pairs=True)
    assert record.total == 2
    for number, parameters in enumerate(cores):
        assert soak.pair_round(3, number).parameters == parameters
        assert soak_round(record, plant) is None
        record = SoakRecord.of(record.json())
    assert (record.rounds, record.packets, record.pairs) == (2, 4, True)
    assert SoakRecord().total is None


@pytest.mark.parametrize(("by_pairs", "lanes", "quick"), [(True, 8, None), (True, 16, True), (False, 16, None)])
def test_a_wide_core_of_one_round_is_compiled_quickly(
    monkeypatch: pytest.MonkeyPatch, by_pairs: bool, lanes: int, quick: bool | None,
) -> None:
    asked = []

    def noted(design: VerilogDesign, packets: list[bytes], stalls: Stalls, watch: None, quick: bool | None) -> object:
        asked.append(quick)
        return check(design, packets, stalls)

    this = Round(ValidatorParameters(lanes), [b"a"], Stalls())
    for name, value in (("round_of", lambda *_: this), ("pair_round", lambda *_: this), ("check", noted),
                        ("generated", lambda _: generated(PARAMETERS))):
        monkeypatch.setattr(soak, name, value)
    soak.play(1, 0, by_pairs, {})
    assert asked == [quick]


def test_by_pairs_what_holds_is_passed_over_and_a_changed_core_done_anew(
    plant: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(soak, "pairs", lambda: [PARAMETERS, PAIR])
    monkeypatch.setattr(soak, "pair_packets", lambda parameters, seed: [b"a\xFF", b"\xC3\xA9"])
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
    check = soak.check
    monkeypatch.setattr(soak, "check", lambda design, *rest: (checked.append(design.top), check(design, *rest))[1])
    for _ in range(2):
        assert soak_round(record, plant) is None
    assert checked == [list(record.configurations)[1]]
    assert [failure.what for failure in record.failures] == ["of the first"]
    before = SoakRecord.of(whole)
    assert (record.rounds, record.packets, record.bytes) == (2, before.packets, before.bytes)
    assert record.configurations == before.configurations


def test_a_pair_that_fails_is_replayed_by_its_encodings(plant: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "pairs", lambda: [PAIR])
    monkeypatch.setattr(soak, "pair_packets", lambda parameters, seed: [b"a\0"])
    monkeypatch.setattr(soak, "reference", lambda parameters, packet: (b"", None))
    record = SoakRecord(pairs=True)
    failure = soak_round(record, plant)
    assert failure is not None
    assert failure.command.startswith("runewire simulate transcoder --from utf-16le --to utf-8 --lanes 1 ")
    assert record.rounds == 1


@pytest.mark.usefixtures("short_rounds")
def test_rounds_with_one_core_have_other_packets() -> None:
    rounds = [round_of(5, number) for number in range(1, LEG * ABREAST, ABREAST)]
    assert {this.parameters for this in rounds} == {rounds[0].parameters}
    assert len({tuple(this.packets) for this in rounds}) == LEG


def test_cores_take_turns() -> None:
    numbers = [core_number(number) for number in range(2 * LEG * ABREAST)]
    assert numbers == [*range(ABREAST)] * LEG + [*range(ABREAST, 2 * ABREAST)] * LEG


@pytest.mark.usefixtures("short_rounds")
def test_rounds_reach_all_cores_and_kinds_of_stalls() -> None:
    cores: set[TranscoderParameters] = set()
    stalls = set()
    for number in firsts(80):
        this = round_of(1, number)
        cores.add(this.parameters)
        stalls.add(this.stalls.source)
    assert {core.core for core in cores} >= {"validator", "decoder", "encoder", "sanitizer", "transcoder"}
    assert {core.source for core in cores} == {*ENCODINGS}
    assert {core.target for core in cores} == {*ENCODINGS, None}
    assert {core.lanes for core in cores} >= {1, 2, 4, 8, 16, 32, 64}
    assert {core.packing for core in cores if core.core == "decoder"} == {"dense", "sparse"}
    assert {core.kind for core in cores if core.core == "sanitizer"} == {
        "sanitizer", "sanitizer, dense", "sanitizer, sparse"}
    assert {core.replacement is None for core in cores if core.core == "sanitizer"} == {True, False}
    sidebands = [core.sidebands.unusual for core in cores]
    assert {name for options in sidebands for name in options} == set(Sidebands.NAMES)
    assert {} in sidebands
    assert 0 in stalls
    assert max(stalls) > 0.6


@pytest.mark.usefixtures("short_rounds")
def test_rounds_of_wide_cores_have_fewer_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "BYTES", 100_000)
    monkeypatch.setattr(soak, "PACKETS", 40)
    sizes = [sum(map(len, round_of(9, number).packets)) for number in firsts(60)]
    assert 90_000 < max(sizes) <= 100_000


@pytest.mark.parametrize("parameters", [
    ValidatorParameters(4), DecoderParameters(4), DecoderParameters(4, "drop", "strip"),
    TranscoderParameters("utf-8", "utf-8", 4), TranscoderParameters("utf-32le", "utf-32le", 4, bom="strip"),
    *(TranscoderParameters(source, target, 1) for source, target in product(ENCODINGS, (*ENCODINGS, None))),
    TranscoderParameters("utf-16le", "latin-1", 2, "drop", "strip"), TranscoderParameters("utf-8", "ascii", 2, "drop"),
    SanitizerParameters(4, "drop"), SanitizerParameters(4, replacement=0x7F, bom="strip", count=COUNTERS[:4]),
    DecoderParameters(4, "replace", "strip"), EncoderParameters(2), EncoderParameters(2, "drop"),
    ValidatorParameters(4, records=0x0A, count=COUNTERS), ValidatorParameters(4, records=0, count=COUNTERS),
    DecoderParameters(4, "drop", "strip", count=COUNTERS[:4]), EncoderParameters(2, "drop", count=COUNTERS[:4]),
], ids=str)
def test_cpython_agrees_with_the_golden_model(parameters: TranscoderParameters) -> None:
    marks = [b"\xEF\xBB\xBF\xEF\xBB\xBFa\xFF", b"\xFF\xFE\0\0", b"\xEF\xBB\xBF\xFF"]
    for packet in (*random_packets(parameters, 2000, 1), *marks):
        result = parameters.compute(packet)
        offset = None if result.error is None else result.error.offset
        assert reference(parameters, packet) == (result.output, offset)
        assert reference_beside(parameters, packet) == (result.counts, result.records)


def test_shrinking_finds_the_two_packets_and_the_byte_that_matter() -> None:
    tried = 0

    def fails(packets: list[bytes]) -> bool:
        nonlocal tried
        tried += 1
        return any(not before and b"\xFF" in after for before, after in pairwise(packets))

    packets = [bytes([n % 256] * (n % 7)) for n in range(900)]
    packets[500:502] = [b"", b"xyz\xFFxyz"]
    assert shrink(packets, fails, ENCODINGS["utf-8"]) == [b"", b"\xFF"]
    assert tried < 200


def test_shrinking_keeps_an_encoders_scalars_whole() -> None:
    def fails(packets: list[bytes]) -> bool:
        assert all(len(packet) % 4 == 0 for packet in packets)
        return any(len(packet) >= 8 and b"\x00\xD8\x00\x00" in packet for packet in packets)

    assert shrink([b"b\0\0\0" * 5 + b"\x00\xD8\x00\x00" + b"c\0\0\0" * 5], fails, ENCODINGS["utf-32le"]) == [
        b"\x00\xD8\x00\x00a\0\0\0"]
