"""Coverage of cores with flows: their goals, what meets them, and that all are met."""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
import runewire_rtl
from runewire_model import ENCODINGS, TranscoderParameters, parameters
from runewire_model.report import Sidebands
from runewire_rtl.segments import context
from runewire_sim import VerilogDesign, coverage
from runewire_sim.coverage import Coverage, cover
from runewire_sim.coverage_goals import STALLS, CoverageGoal, goals
from runewire_sim.results import PacketEnd
from runewire_sim.segment_coverage import SegmentAim, SegmentsMet
from runewire_sim.segment_goals import (
    ADDED,
    AFTER,
    BEFORE,
    BYTES,
    CARRIED,
    CLOSES,
    DELIMITER,
    EMPTY_END,
    IN_FIRST,
    IN_LATER,
    KNOWN,
    NEXT,
    NO_ERROR,
    OTHERS,
    SINGLE,
    TEXT_END,
    WELL_FORMED,
    CutGoal,
    ErrorGoal,
    MarkGoal,
    RecordCutGoal,
    SegmentGoal,
    carries,
    segment_goals,
)
from runewire_sim.segments import Segment

END = PacketEnd(0, 0, 0, 0, 0)
CORE = parameters("validator", lanes=4, flows=4, id=2)


def transcoder(source: str, target: str | None, lanes: int, **options: Any) -> TranscoderParameters:
    ports = {name: options.pop(name) for name in [*options] if name in Sidebands.NAMES}
    return TranscoderParameters(source, target, lanes, **options, sidebands=Sidebands(flows=2, id=1, **ports))


CORES = [
    *(parameters("validator", lanes=lanes, flows=2, id=1) for lanes in (1, 2, 4)),
    parameters("validator", lanes=4, flows=1024, id=10),
    parameters("decoder", lanes=1, flows=2, id=1, pipeline="compact"),
    parameters("validator", lanes=1, flows=2, id=1, null_bytes="anywhere", pipeline="compact"),
    parameters("decoder", lanes=1, flows=2, id=1, bom="add", null_bytes="anywhere", pipeline="compact"),
    parameters("decoder", lanes=2, flows=4, id=2, bom="strip"),
    parameters("decoder", lanes=2, flows=4, id=2, packing="sparse"),
    parameters("validator", lanes=2, flows=2, id=1, records=0x0A, record_report=True),
    parameters("sanitizer", lanes=2, flows=2, id=1, records=0x0A, null_bytes="anywhere", pipeline="compact"),
    transcoder("utf-16", "utf-8", 2, bom="strip"),
    *(pytest.param(core, marks=pytest.mark.records) for core in (
        parameters("validator", lanes=8, flows=2, id=1), parameters("validator", lanes=2, flows=1),
        parameters("decoder", lanes=1, flows=1, pipeline="compact"),
        parameters("decoder", lanes=1, flows=1, null_bytes="anywhere", pipeline="compact"),
        parameters("decoder", lanes=2, flows=4, id=2, bom="add"),
        parameters("decoder", lanes=2, flows=2, id=1, null_bytes="anywhere"), transcoder("utf-32", "utf-8", 1),
        transcoder("utf-16le", "latin-1", 1, records=0x0A))),
]


@pytest.mark.slow
@pytest.mark.parametrize("core", CORES, ids=str)
def test_every_goal_is_met(core: TranscoderParameters) -> None:
    reached, wrong = cover(core)
    assert wrong is None
    assert [str(goal) for goal in reached.holes] == []


def test_every_goal_of_segments_is_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the goals that any core has."""
    core = parameters("validator", lanes=1, flows=2, id=1)
    wanted = [goal for goal in goals(core) if isinstance(goal, SegmentGoal | ErrorGoal)]
    monkeypatch.setattr(coverage, "goals", lambda parameters: wanted)
    monkeypatch.setattr(coverage, "PACKETS", 50)
    reached, wrong = cover(core)
    assert wrong is None
    assert [str(goal) for goal in reached.holes] == []


@pytest.mark.slow
def test_a_core_that_uses_the_carry_of_another_flow_is_wrong(tmp_path: Path) -> None:
    core = parameters("decoder", lanes=2, flows=4, id=2, pipeline="compact")
    with context.continues.replaced(lambda sound: lambda flow, other, ends: ends):
        made = runewire_rtl.generate(core, tmp_path)
    reached, wrong = cover(core, design=VerilogDesign(core, made.top, made.verilog))
    assert wrong is not None
    assert re.match(r"packet \d:[0-9a-f]*\+?: ", wrong)
    assert len(reached.holes) == len(reached.seen)


def met(segments: Sequence[Segment], core: TranscoderParameters = CORE) -> set[object]:
    return {goal for goal, _ in SegmentsMet(core).met(segments, [END] * len(segments))}


def rule(name: str, encoding: str = "utf-8") -> Any:
    [found] = (rule for rule in ENCODINGS[encoding].rules if rule.name == name)
    return found


def cuts(*segments: Segment) -> set[tuple[str, int, int, str]]:
    return {(goal.rule.name, goal.at, goal.lane, goal.then) for goal in met(segments) if isinstance(goal, CutGoal)}


EURO = "E1..EC 80..BF 80..BF"


def test_a_cut_is_no_error_and_the_text_s_end_is_one() -> None:
    assert cuts(Segment(b"a\xE2\x82", 0, True), Segment(b"\xAC\xFF")) == {
        (EURO, 2, 2, NEXT)}
    assert cuts(Segment(b"a\xE2\x82", 0, True), Segment(b"")) == {
        ("E1..EC 80..BF (too short, then the end)", 2, 2, NEXT)}
    assert cuts(Segment(b"a\xE2\x82", 0, True), Segment(b"ab")) == {
        ("E1..EC 80..BF (too short, then a byte)", 2, 2, NEXT)}


def test_other_flows_may_come_between() -> None:
    assert cuts(Segment(b"\xE2", 0, True), Segment(b"\xF0\x9F", 1, True), Segment(b"\x82\xAC", 0), Segment(b"", 1)) == {
        (EURO, 1, 0, OTHERS), ("F0 90..BF (too short, then the end)", 2, 1, OTHERS)}


def test_empty_segments_are_no_cuts_of_their_own() -> None:
    assert cuts(Segment(b"\xE2", 0, True), Segment(b"", 0, True), Segment(b"\x82\xAC")) == {(EURO, 1, 0, NEXT)}


def test_a_sequence_that_comes_byte_by_byte() -> None:
    singles = [Segment(bytes([byte]), 0, True) for byte in "€".encode()]
    assert (EURO, 0, 0, SINGLE) in cuts(*singles, Segment(b""))
    assert (EURO, 0, 0, SINGLE) not in cuts(*singles[:2], Segment(b"", 1), singles[2], Segment(b""))


def test_nothing_behind_a_text_s_first_error_counts_as_a_cut() -> None:
    assert cuts(Segment(b"\xFF\xE2", 0, True), Segment(b"\x82\xAC")) == set()


@pytest.mark.parametrize(("segments", "found"), [
    ([Segment(b"")], [SegmentGoal(True, 0, None, False, CLOSES)]),
    ([Segment(b"abcde\xE2", 0, True), Segment(b"", 0, True), Segment(b"\x82\xAC\xF0", 0, True), Segment(b"a")],
     [SegmentGoal(True, 0, 1, True, 1), SegmentGoal(False, 1, None, False, 1), SegmentGoal(False, 1, 2, False, 1),
      SegmentGoal(False, 1, 0, False, CLOSES)]),
    ([Segment(b"\xF0\x9F\x98", 3, True), Segment(b"\xE2\x82", 1, True), Segment(b"\x80", 3), Segment(b"", 1)],
     [SegmentGoal(True, 0, 2, False, 3), SegmentGoal(True, 0, 1, False, 2), SegmentGoal(False, 3, 0, False, CLOSES),
      SegmentGoal(False, 2, None, False, CLOSES)]),
])
def test_what_a_segment_carries_and_leaves(segments: list[Segment], found: list[SegmentGoal]) -> None:
    assert {goal for goal in met(segments) if isinstance(goal, SegmentGoal)} == {*found}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be"])
def test_the_bytes_that_a_segment_may_leave_are_those_of_all_texts(encoding: str) -> None:
    """Against random text of the same bytes."""
    reads, random = ENCODINGS[encoding], Random(1)
    seen: dict[tuple[int, int], set[int]] = {}
    for _ in range(20_000):
        before, size = random.randrange(12), random.randrange(6)
        text = bytes(random.choices(BYTES[reads.unit_bytes], k=before + size))
        seen.setdefault((reads.unfinished(text[:before]), size), set()).add(reads.unfinished(text))
    assert {carried for carried, _ in seen} == {*range(4)}
    for (carried, size), left in seen.items():
        assert left <= carries(reads, carried, size)
        # Random text rarely has two sequences of four bytes in a row.
        assert carried == 3 or left == carries(reads, carried, size)


@pytest.mark.parametrize(("segments", "found"), [
    ([Segment(b"a", 0, True), Segment(b"\xE2", 0, True), Segment(b"\xFF", 0, True), Segment(b"")],
     [(NO_ERROR, True), (CARRIED, True), (KNOWN, False)]),
    ([Segment(b"\xFF")], [(IN_FIRST, False)]),
    ([Segment(b"a", 0, True), Segment(b"\xFF")], [(NO_ERROR, True), (IN_LATER, False)]),
])
def test_where_a_segment_s_error_is(segments: list[Segment], found: list[tuple[str, bool]]) -> None:
    assert {goal for goal in met(segments) if isinstance(goal, ErrorGoal)} == {ErrorGoal(*each) for each in found}


@pytest.mark.parametrize(("segments", "found"), [
    ([b"a\nb", b"\n"], (WELL_FORMED, DELIMITER)), ([b"a", b"b"], (WELL_FORMED, TEXT_END)),
    ([b"a", b""], (WELL_FORMED, EMPTY_END)), ([b"a\xE2", b"\n"], (BEFORE, DELIMITER)),
    ([b"a", b"\xFF"], (AFTER, TEXT_END)), ([b"a\n", b"\xFF"], None),
])
def test_which_records_are_cut(segments: list[bytes], found: tuple[str, str] | None) -> None:
    core = parameters("validator", lanes=4, flows=4, id=2, records=0x0A)
    pieces = [Segment(segments[0], 0, True), Segment(segments[1])]
    assert {goal for goal in met(pieces, core) if isinstance(goal, RecordCutGoal)} == (
        {RecordCutGoal(*found, NEXT)} if found else set())


def test_marks_that_are_cut() -> None:
    def marks(core: TranscoderParameters, *segments: bytes) -> set[object]:
        pieces = [Segment(each, 0, at < len(segments) - 1) for at, each in enumerate(segments)]
        return {goal for goal in met(pieces, core) if isinstance(goal, MarkGoal)}

    core = transcoder("utf-16", None, 2)
    assert marks(core, b"\xFF", b"\xFEa\0") == {MarkGoal("UTF-16LE", 1, NEXT)}
    assert marks(core, b"\xFE\xFF", b"\0a") == {MarkGoal("UTF-16BE", 2, NEXT)}
    assert marks(transcoder("utf-8", "utf-16le", 2, bom="add"), b"", b"") == {MarkGoal(ADDED, 0, NEXT)}
    assert marks(CORE, b"\xEF", b"\xBB\xBF") == set()


@pytest.mark.parametrize("core", [
    CORE, transcoder("utf-16", "utf-8", 2, bom="strip", records=0x0A), transcoder("utf-32", "utf-8", 1),
    transcoder("utf-8", "utf-16le", 2, bom="add", records=0x0A)], ids=str)
def test_aimed_segments_meet_their_goals(core: TranscoderParameters) -> None:
    """Within some tries: what is drawn at random may be an error, or be so before its time."""
    aim = SegmentAim(core, Random(1))
    for goal in segment_goals(core):
        tries = (aim.segments(goal) for _ in range(40))
        assert any(goal in met(segments, core) for segments in tries), goal


@pytest.mark.parametrize("core", [CORE, transcoder("utf-32", "utf-8", 1, bom="strip", records=0x0A)], ids=str)
def test_goals_are_different(core: TranscoderParameters) -> None:
    wanted = goals(core)
    assert len(set(wanted)) == len(wanted) == len({str(goal) for goal in wanted})
    assert {goal.stall for goal in wanted if isinstance(goal, CutGoal)} == {*STALLS}


def test_a_core_with_one_flow_has_no_other_flows_and_one_without_flows_no_segments() -> None:
    assert {goal.then for goal in segment_goals(parameters("validator", lanes=1, flows=1))
            if isinstance(goal, CutGoal)} == {NEXT, SINGLE}
    assert list(segment_goals(parameters("validator", lanes=1))) == []


def test_texts_in_one_segment_meet_the_goals_of_a_packet() -> None:
    seen = Coverage(CORE)
    seen.add_segments([Segment("é".encode(), 1), Segment("é".encode(), 2, True), Segment(b"", 2)], [END] * 3)
    found = {goal: count for goal, count in seen.seen.items() if count and isinstance(goal, CoverageGoal)}
    assert {goal.at for goal in found} == {-1}
    assert {*found.values()} == {1}


def test_holes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no segment is ever empty, and no other flow comes between."""
    joined = SegmentAim._joined

    def never_empty(self: SegmentAim, parts: Sequence[bytes], *then: object) -> list[Segment]:
        return joined(self, [part for part in parts if part] or [b"a"])

    monkeypatch.setattr(SegmentAim, "_joined", never_empty)
    monkeypatch.setattr(coverage, "random_segments", lambda parameters, texts, random: [])
    monkeypatch.setattr(coverage, "PACKETS", 100)
    monkeypatch.setattr(coverage, "ROUNDS", 1)
    reached, wrong = cover(parameters("validator", lanes=1, flows=2, id=1))
    assert wrong is None
    names = {str(goal) for goal in reached.holes}
    assert ("E1..EC 80..BF 80..BF cut after byte 2 by a segment's end in lane 0, then other flows' segments, flowing"
            in names)
    assert "later segment empty, 2 bytes carried, leaves 2 bytes, after a gap" in names
