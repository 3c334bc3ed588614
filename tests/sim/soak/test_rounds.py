"""Rounds of a soak: equal for equal seeds; they reach all cores and kinds of traffic."""

from collections import Counter

import pytest
from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.encodings import BYTES
from runewire_model.report import Sidebands
from runewire_sim.soak import ABREAST, LEG, core_number, round_of, traffic


def firsts(cores: int) -> list[int]:
    """The first round of each of the first ``cores`` cores."""
    legs = range(0, cores * LEG, LEG * ABREAST)
    return [leg + number for leg in legs for number in range(ABREAST)]


@pytest.fixture
def short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds with few packets, which take no time to generate."""
    monkeypatch.setattr(traffic, "CYCLES", 6000)
    monkeypatch.setattr(traffic, "PACKETS", 400)


@pytest.mark.usefixtures("short_rounds")
def test_rounds_are_the_same_for_the_same_seed() -> None:
    assert round_of(3, 40) == round_of(3, 40)
    assert round_of(3, 40).packets != round_of(4, 40).packets


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
        this = round_of(3, number)
        cores.add(this.parameters)
        stalls.add(this.stalls.source)
    assert {core.core for core in cores} >= {"validator", "decoder", "encoder", "sanitizer", "packer", "transcoder"}
    assert {core.source for core in cores} == {*ENCODINGS, BYTES.name}
    assert {core.target for core in cores} == {*ENCODINGS, BYTES.name, None}
    assert {core.lanes for core in cores} >= {1, 2, 4, 8, 16, 32, 64}
    assert {core.packing for core in cores if core.core == "decoder"} == {"dense", "sparse"}
    assert {core.kind for core in cores if core.core == "sanitizer"} == {
        "sanitizer", "sanitizer, dense", "sanitizer, sparse"}
    assert {core.replacement is None for core in cores if core.core == "sanitizer"} == {True, False}
    sidebands = [core.sidebands.unusual for core in cores]
    # Flows are segments of texts, which the rounds do not send; splitters have the options of split as they are.
    assert {name for options in sidebands for name in options} == {*Sidebands.NAMES} - {"flows", "delimiter", "empty"}
    assert {} in sidebands
    assert 0 in stalls
    assert max(stalls) > 0.6


@pytest.mark.usefixtures("short_rounds")
def test_rounds_of_wide_cores_have_fewer_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "BYTES", 100_000)
    monkeypatch.setattr(traffic, "PACKETS", 40)
    sizes = [sum(map(len, round_of(9, number).packets)) for number in firsts(60)]
    assert 90_000 < max(sizes) <= 100_000


@pytest.mark.usefixtures("short_rounds")
def test_rounds_with_the_early_error_bit_have_fewer_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = Counter[bool]()
    for number in firsts(40):
        usual = round_of(9, number)
        with monkeypatch.context() as patched:
            patched.setattr(traffic, "EARLY", 100)
            limited = round_of(9, number)
        shorter[usual.parameters.sidebands.early] += sum(map(len, limited.packets)) < sum(map(len, usual.packets))
    assert shorter[True] > 0
    assert shorter[False] == 0
