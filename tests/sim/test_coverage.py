"""Functional coverage: complete for every core, and correct about the goals seen."""

import itertools
from functools import cache
from pathlib import Path

import pytest
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    TranscoderParameters,
    ValidatorParameters,
    parameters,
    validate,
)
from runewire_model.encodings.base import Rule
from runewire_model.report import Sidebands
from runewire_sim import VerilogDesign, coverage
from runewire_sim.coverage import Coverage, cover
from runewire_sim.coverage_goals import CoverageGoal, goals
from runewire_sim.null_byte_coverage import NullByteGoal, null_bytes_met
from runewire_sim.record_coverage import RecordGoal, record_goals
from runewire_sim.results import PacketEnd
from runewire_sim.stimuli import random_packets

LANES = (1, 2, 4, 8)
CORES: list[TranscoderParameters] = [
    core for lanes in LANES for core in (
        ValidatorParameters(lanes=lanes), DecoderParameters(lanes=lanes),
        DecoderParameters(lanes=lanes, packing="sparse"), EncoderParameters(lanes=lanes),
        ValidatorParameters(lanes=lanes, records=0x0A))]
NULL_BYTES: list[TranscoderParameters] = [
    parameters("packer", lanes=4), DecoderParameters(2, bom="add", null_bytes="anywhere"),
    ValidatorParameters(64, null_bytes="anywhere"),
]
"""Cores that take null bytes anywhere."""
FAULTY = VerilogDesign(ValidatorParameters(lanes=2), "faulty", Path(__file__).parent / "faulty.v")
FLOWING = PacketEnd(0, 0, 0, 0, 0)


def label(parameters: TranscoderParameters) -> str:
    records = "" if parameters.sidebands.records is None else "-records"
    return f"{parameters.core}-{parameters.lanes}-{parameters.packing}{records}"


def rule(name: str) -> Rule:
    [found] = (rule for rule in ENCODINGS["utf-8"].rules if rule.name == name)
    return found


def seen(parameters: TranscoderParameters, packet: bytes, end: PacketEnd = FLOWING) -> set[CoverageGoal]:
    return {goal for goal in empty(parameters).met(packet, end) if isinstance(goal, CoverageGoal) and goal.edge is None}


@cache
def empty(parameters: TranscoderParameters) -> Coverage:
    return Coverage(parameters)


@pytest.mark.parametrize("parameters", [
    pytest.param(core, marks=[] if core.lanes < (4 if core.sidebands.records is None else 2) else [pytest.mark.slow])
    for core in CORES], ids=label)
def test_every_goal_is_met(parameters: TranscoderParameters) -> None:
    reached, wrong = cover(parameters)
    assert wrong is None
    assert [str(goal) for goal in reached.holes] == []


@pytest.mark.parametrize("parameters", [
    pytest.param(core, marks=[pytest.mark.slow] if core.lanes > 4 else []) for core in NULL_BYTES], ids=label)
def test_every_null_byte_is_met(parameters: TranscoderParameters, monkeypatch: pytest.MonkeyPatch) -> None:
    """The core has the same goals of the text as any other core."""
    wanted = [goal for goal in goals(parameters) if isinstance(goal, NullByteGoal)]
    monkeypatch.setattr(coverage, "goals", lambda parameters: wanted)
    reached, wrong = cover(parameters)
    assert wrong is None
    assert wanted
    assert [str(goal) for goal in reached.holes] == []


def test_null_bytes_that_were_not_sent_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With full beats alone."""
    monkeypatch.setattr(coverage, "NULL_BYTES", (0.0,))
    monkeypatch.setattr(coverage, "ROUNDS", 1)
    reached, wrong = cover(parameters("packer", lanes=2))
    assert wrong is None
    names = [str(goal) for goal in reached.holes]
    assert "null byte in lane 0 before the bytes of a beat, flowing" in names
    assert "a middle beat without bytes, after a gap" in names
    assert all("without bytes" in name or name.startswith("null byte in lane") for name in names)


@pytest.mark.parametrize(("beats", "met"), [
    ([(0b0001, False), (0b0100, False), (0, True)],
     {("after", 1), ("after", 2), ("after", 3), ("before", 0), ("before", 1), ("after", 3), ("last", None)}),
    ([(0b1011, True)], {("between", 2)}),
    ([(0, False), (0, False), (0b0011, True)], {("first", None), ("middle", None)}),
    ([(0, True)], set()),
])
def test_where_null_bytes_count(beats: list[tuple[int, bool]], met: set[tuple[str, int | None]]) -> None:
    found = {(goal.where.split()[lane is None], lane) for goal, _ in null_bytes_met(beats, 4) for lane in [goal.lane]}
    assert found == met


def test_holes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a simulator that sees no gaps."""
    monkeypatch.setattr(coverage, "_stalls", lambda parameters, end, beat: ("flowing", "while the output waits"))
    monkeypatch.setattr(coverage, "ROUNDS", 6)
    reached, wrong = cover(ValidatorParameters(lanes=2))
    assert wrong is None
    names = [str(goal) for goal in reached.holes]
    assert "ED A0..BF 80..BF (surrogate) from lane 1, in a later beat, split after unit 1, after a gap" in names
    assert all(name.endswith("after a gap") for name in names)


def test_a_wrong_core_is_told_and_not_counted() -> None:
    reached, wrong = cover(ValidatorParameters(lanes=2), design=FAULTY)
    assert wrong is not None
    assert wrong.startswith("packet ")
    assert len(reached.holes) == len(reached.seen)


def test_the_rules_are_those_of_the_model() -> None:
    """Each packet of edge bytes has its first faulty rule where the model has its first error."""
    kinds = {"too short": "TOO_SHORT", "too long": "TOO_LONG", "header bits": "HEADER_BITS", "overlong": "OVERLONG",
             "surrogate": "SURROGATE", "too large": "TOO_LARGE"}
    core = ValidatorParameters(lanes=16)
    packets = [bytes(each) for size in (1, 2, 3) for each in itertools.product(ENCODINGS["utf-8"].edges, repeat=size)]
    for packet in (*packets, *random_packets(core, 2000, 1, longest=10)):
        faulty = {(goal.lane, goal.rule.name) for goal in seen(core, packet) if goal.rule.fault and not goal.later}
        error = validate(packet)
        if error is None:
            assert not faulty
        elif error.offset < core.lanes:
            [(lane, name)] = faulty
            assert (lane, kinds[name.partition("(")[2].partition(",")[0].rstrip(")")]) == (
                error.offset, error.kind.name)


@pytest.mark.parametrize(("packet", "met"), [
    ("é".encode(), [("C2..DF 80..BF", 0, -1)]),
    ("aaé".encode(), [("00..7F", 0, 0), ("00..7F", 1, 0), ("C2..DF 80..BF", 2, -1)]),
    ("aaaé".encode(), [("00..7F", 0, 0), ("00..7F", 1, 0), ("00..7F", 2, 0), ("C2..DF 80..BF", 3, 1),
                       ("C2..DF 80..BF", 3, -1)]),
    (b"aa\xC3a", [("00..7F", 0, 0), ("00..7F", 1, 0), ("C2..DF (too short, then a byte)", 2, 0)]),
    (b"aaa\xC3a", [("00..7F", 0, 0), ("00..7F", 1, 0), ("00..7F", 2, 0), ("C2..DF (too short, then a byte)", 3, 1)]),
    (b"\xC3", [("C2..DF (too short, then the end)", 0, -1)]),
    (b"\xFFabc", [("F8..FF (header bits)", 0, 0)]),
])
def test_where_a_sequence_counts(packet: bytes, met: list[tuple[str, int, int]]) -> None:
    assert seen(ValidatorParameters(lanes=4), packet) == {
        CoverageGoal(rule(name), lane, "flowing", at, False) for name, lane, at in met}


def test_a_split_counts_as_stalled_by_the_gap_in_it() -> None:
    core = ValidatorParameters(lanes=2)
    packet = "a€".encode()
    split = [CoverageGoal(rule("E1..EC 80..BF 80..BF"), 1, stall, 1, False) for stall in ("flowing", "after a gap")]
    assert split[0] in seen(core, packet)
    behind = seen(core, packet, PacketEnd(0, 0, 0, 0, 0, gaps=0b10))
    assert split[1] in behind
    assert split[0] not in behind
    assert split[0] in seen(core, packet, PacketEnd(0, 0, 0, 0, 0, gaps=0b01))


def test_a_packet_that_waits_at_the_output_does_not_flow() -> None:
    found = seen(ValidatorParameters(lanes=2), b"ab", PacketEnd(0, 0, 0, 0, 0, waits=1))
    assert {goal.stall for goal in found} == {"while the output waits"}


def test_output_lanes_of_a_dense_core() -> None:
    core = DecoderParameters(lanes=2)
    assert {(goal.lane, goal.item) for goal in seen(core, "é€a".encode()) if goal.item is not None} == {
        (0, 0), (0, 1), (1, 0)}
    stripping = DecoderParameters(lanes=2, bom="strip")
    assert {(goal.lane, goal.item) for goal in seen(stripping, b"\xEF\xBB\xBFab") if goal.item is not None} == {
        (1, 0), (0, 1)}
    encoder = EncoderParameters(lanes=1)
    scalars = b"".join(scalar.to_bytes(4, "little") for scalar in (0x20AC, 0xD800, 0x41))
    assert {(goal.rule.name, goal.item) for goal in seen(encoder, scalars) if goal.item is not None} == {
        ("800..D7FF", 0), ("D800..DFFF (surrogate)", 3)}


@pytest.mark.parametrize(("packet", "met"), [
    (b"", set()),
    (b"\n", {RecordGoal(0, 0, False, False, False)}),
    (b"a", {RecordGoal(0, 0, False, False, True)}),
    (b"a\n\xFFbc\n", {RecordGoal(0, 1, False, False, False), RecordGoal(2, 1, True, True, False)}),
    (b"abc\n\xE2\x82", {RecordGoal(0, 3, False, False, False), RecordGoal(0, 1, False, True, True)}),
    (b"\xE2\n\n\x80", {RecordGoal(0, 1, False, True, False), RecordGoal(2, 2, False, False, False),
                         RecordGoal(3, 3, False, True, True)}),
])
def test_where_records_count(packet: bytes, met: set[RecordGoal]) -> None:
    core = ValidatorParameters(lanes=4, records=0x0A)
    found = {goal for goal in empty(core).met(packet, FLOWING) if isinstance(goal, RecordGoal)}
    assert found == {goal._replace(stall="flowing") for goal in met}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_records_are_ill_formed_where_an_encoding_has_such(encoding: str) -> None:
    wanted = list(record_goals(TranscoderParameters(encoding, None, 2, sidebands=Sidebands(records=0x0A))))
    assert any(goal.bad for goal in wanted) == (encoding != "latin-1")
    assert not any(goal.bad and goal.first == goal.last and not (goal.across or goal.final) for goal in wanted)
    assert list(record_goals(ValidatorParameters(2))) == []


@pytest.mark.parametrize("parameters", [
    ValidatorParameters(4), DecoderParameters(4), EncoderParameters(2), ValidatorParameters(4, records=0x0A),
], ids=label)
def test_goals_are_different(parameters: TranscoderParameters) -> None:
    wanted = goals(parameters)
    assert len(set(wanted)) == len(wanted) == len({str(goal) for goal in wanted})
