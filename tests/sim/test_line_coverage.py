"""Coverage of splitters, filters and record reports: their goals, what meets them, and that all are met."""

from random import Random

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_model.records import bad_records
from runewire_sim import coverage
from runewire_sim.coverage import Coverage, cover
from runewire_sim.coverage_goals import STALLS, CoverageGoal, cuts_text, goals, stalls_of
from runewire_sim.line_coverage import (
    BAD_RECORDS,
    BOTH,
    CUT,
    DELIMITED,
    FINAL,
    ILL_FORMED,
    LONG,
    OUTPUT_WAITS,
    PACKETS,
    QUEUE,
    RECORDS,
    REJECTED_ROWS,
    REJECTS_WAIT,
    REPORT_WAITS,
    STAYS,
    BeatGoal,
    DroppedGoal,
    LineGoal,
    LinesMet,
    QueueGoal,
    line_goals,
    lines_for,
    lines_met,
)
from runewire_sim.results import PacketEnd, RejectedRecord

END = PacketEnd(0, 0, 0, 0, 0)
SPLITTER = parameters("splitter", lanes=4)
CUTTING = parameters("splitter", lanes=4, longest=4, delimiter="drop", empty="drop")
FILTER = parameters("filter", lanes=4, longest=8, rejects=True)
REPORT = parameters("validator", lanes=4, records=0x0A, record_report=True)
CORES = [
    parameters("splitter", lanes=2), parameters("splitter", lanes=2, longest=2, delimiter="drop", empty="drop"),
    parameters("splitter", lanes=2, longest=4), parameters("filter", lanes=2, longest=4, rejects=True),
    parameters("filter", lanes=1, longest=1, pipeline="balanced"),
    parameters("validator", lanes=2, records=0x0A, record_report=True),
    parameters("validator", lanes=2, split=0x7F, delimiter="drop"),
    parameters("decoder", lanes=1, split=0x0A, pipeline="compact", null_bytes="anywhere"),
    parameters("decoder", lanes=2, split=0x0A, delimiter="drop", empty="drop", null_bytes="anywhere", bom="add"),
    parameters("splitter", lanes=1, longest=128),
]


def met(core: TranscoderParameters, packet: bytes, *ends: PacketEnd, waits: int = 0) -> set[object]:
    """The goals that a packet meets, with the stalls that they have already."""
    count = len(core.answers(packet)) if core.splits else 1
    rejects = [RejectedRecord(each.data, 0, waits=waits) for each in core.rejects(packet)]
    seen = LinesMet(packet, ends or [END] * count, rejects if core.sidebands.rejects else ())
    return {goal for goal, *_ in lines_met(core, seen)}


@pytest.mark.slow
@pytest.mark.parametrize("core", CORES, ids=str)
def test_every_goal_is_met(core: TranscoderParameters) -> None:
    reached, wrong = cover(core)
    assert wrong is None
    assert [str(goal) for goal in reached.holes] == []
    assert sum(isinstance(goal, LineGoal | BeatGoal | QueueGoal | DroppedGoal) for goal in reached.seen) > 2


@pytest.mark.parametrize(("core", "packet", "goals"), [
    (SPLITTER, b"a\nbcd\n", {LineGoal(0, 1, False, DELIMITED), LineGoal(2, 1, True, DELIMITED), BeatGoal(PACKETS, 1)}),
    (SPLITTER, b"\n\nab", {LineGoal(0, 0, False, DELIMITED), LineGoal(1, 1, False, DELIMITED),
                           LineGoal(2, 3, False, FINAL), BeatGoal(PACKETS, 3)}),
    (CUTTING, b"abcde\n", {LineGoal(0, 3, False, CUT), LineGoal(0, 1, False, DELIMITED, "after a cut"),
                           BeatGoal(PACKETS, 1)}),
    (CUTTING, b"\nab\n\n", {DroppedGoal(0), DroppedGoal(0), LineGoal(1, 3, False, DELIMITED), BeatGoal(PACKETS, 1),
                            BeatGoal(PACKETS, 0)}),
    (FILTER, b"a\n\xFF", {LineGoal(0, 1, False, DELIMITED, STAYS), LineGoal(2, 2, False, FINAL, ILL_FORMED),
                          BeatGoal(RECORDS, 2)}),
    (FILTER, b"aaaaaaaa\n", {LineGoal(0, 0, True, DELIMITED, LONG), BeatGoal(RECORDS, 0), BeatGoal(RECORDS, 1)}),
    (FILTER, b"aaaaaaaa\xFF", {LineGoal(0, 0, True, FINAL, BOTH), BeatGoal(RECORDS, 0), BeatGoal(RECORDS, 1)}),
    (REPORT, b"\xFF\n\xFF\nok\n", {BeatGoal(BAD_RECORDS, 2), BeatGoal(BAD_RECORDS, 0)}),
], ids=lambda value: "goals" if isinstance(value, set) else str(value))
def test_what_a_packet_meets(core: TranscoderParameters, packet: bytes, goals: set[object]) -> None:
    assert met(core, packet) == goals


def test_stalls_of_each_stream_count() -> None:
    found = met(FILTER, b"\xFFa\n", waits=1)
    assert LineGoal(0, 2, False, DELIMITED, ILL_FORMED, REJECTS_WAIT) in found
    assert not any(goal.stall == REJECTS_WAIT for goal in met(FILTER, b"\xFFa\n", PacketEnd(0, 0, 0, 0, 0, waits=9)))
    without = parameters("filter", lanes=4, longest=8)
    found = met(without, b"\xFFa\n", PacketEnd(0, 0, 0, 0, 0, waits=1))
    assert LineGoal(0, 2, False, DELIMITED, ILL_FORMED, OUTPUT_WAITS) in found
    many = b"\xFF\n" * 2 * QUEUE
    assert QueueGoal(REJECTED_ROWS, REJECTS_WAIT) in met(FILTER, many, waits=1)
    assert QueueGoal(REJECTED_ROWS, REJECTS_WAIT) not in met(FILTER, many)
    assert QueueGoal(BAD_RECORDS, REPORT_WAITS) in met(REPORT, many, PacketEnd(0, 0, 0, 0, 0, record_waits=QUEUE))
    assert QueueGoal(BAD_RECORDS, REPORT_WAITS) not in met(REPORT, many)


@pytest.mark.parametrize("core", [SPLITTER, CUTTING, FILTER, REPORT, parameters("splitter", lanes=4, longest=4),
                                  parameters("splitter", lanes=1, longest=1), *CORES[:6]], ids=str)
def test_a_packet_is_made_for_each_goal(core: TranscoderParameters) -> None:
    """Where the goal depends on no stall, the first try meets it."""
    random = Random(1)
    for goal in line_goals(core, [""]):
        packet = lines_for(core, goal, random)
        waits = PacketEnd(0, 0, 0, 0, 0, waits=QUEUE, record_waits=QUEUE)
        assert goal in met(core, packet, *[waits] * (len(core.answers(packet)) if core.splits else 1), waits=1), goal


def test_goals_are_different_and_have_names() -> None:
    for core in (*CORES, SPLITTER, CUTTING, FILTER, REPORT):
        wanted = goals(core)
        assert len({*wanted}) == len(wanted) == len({*map(str, wanted)})


def test_the_goals_of_text_are_those_of_the_core_behind_a_splitter() -> None:
    plain, split = parameters("validator", lanes=2), parameters("validator", lanes=2, split=0x0A)
    text = {goal for goal in goals(split) if isinstance(goal, CoverageGoal)}
    assert text == {goal for goal in goals(plain) if goal.stall != "after a gap"}
    assert not any(isinstance(goal, CoverageGoal) for goal in goals(SPLITTER))
    short = parameters("validator", lanes=2, split=0x0A, longest=4)
    assert cuts_text(short)
    assert not any(isinstance(goal, CoverageGoal) for goal in goals(short))
    of_filter = {goal for goal in goals(FILTER) if isinstance(goal, CoverageGoal)}
    assert of_filter == {goal._replace(stall="") for goal in goals(parameters("validator", lanes=4))}


def test_a_core_has_the_stalls_of_its_streams() -> None:
    assert [*stalls_of(SPLITTER)] == [*STALLS]
    assert [*stalls_of(FILTER)] == [*STALLS, REJECTS_WAIT]
    assert [*stalls_of(REPORT)] == [*STALLS, REPORT_WAITS]


@pytest.mark.slow
@pytest.mark.parametrize(("core", "hole"), [
    (CORES[3], f"more {REJECTED_ROWS} than their queue holds, {REJECTS_WAIT}"),
    (CORES[5], f"more {BAD_RECORDS} than their queue holds, {REPORT_WAITS}"),
], ids=["filter", "record report"])
def test_a_stream_that_never_waits_is_a_hole(
    core: TranscoderParameters, hole: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    every = {key: stalls for key, stalls in STALLS.items() if key != OUTPUT_WAITS}
    monkeypatch.setattr(coverage, "stalls_of", lambda parameters: every)
    monkeypatch.setattr(coverage, "ROUNDS", 2)
    reached, wrong = cover(core)
    assert wrong is None
    assert hole in {str(goal) for goal in reached.holes}


def test_a_record_counts_by_its_first_error() -> None:
    """The rule at which a filter's record is rejected is a goal, wherever the record begins."""
    seen = Coverage(parameters("filter", lanes=2, longest=16))
    packet = b"a\nb\xE2\x82\n"
    seen.add_lines(packet, [END], ())
    [error] = bad_records(parameters("validator", lanes=2).reads, packet, 0x0A)
    found = [goal for goal, count in seen.seen.items() if count and isinstance(goal, CoverageGoal) and goal.rule.fault
             and goal.edge is None]
    assert [goal.lane for goal in found] == [error.offset]
