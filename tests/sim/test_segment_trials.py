"""Mutants of cores with flows: the trials find their faults, in each part that joins segments."""

from collections.abc import Sequence
from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest
from runewire_model import Flow, TranscoderParameters, parameters
from runewire_proofs import Engine
from runewire_rtl import describe
from runewire_sim.mutation import trials as mutation_trials
from runewire_sim.mutation.equivalence import _further_ports, comparison
from runewire_sim.mutation.netlist import Mutated, mutated, mutated_at
from runewire_sim.mutation.segment_trials import (
    MOST_AROUND,
    MOST_BEATS,
    NOISY,
    around,
    byte_by_byte,
    in_beats,
    in_few_flows,
    in_segments,
    long_texts,
    whole_texts,
)
from runewire_sim.mutation.trial_cycles import expected_cycles
from runewire_sim.mutation.trials import Trial, core_trials, kill
from runewire_sim.segments import Segment
from runewire_sim.stalls import Stalls

COMPACT: dict[str, Any] = {"lanes": 1, "pipeline": "compact"}
VALIDATOR = parameters("validator", **COMPACT, flows=2, id=1, offset_bits=16)
LINE = parameters("decoder", **COMPACT, flows=1, offset_bits=16)
MANY = parameters("decoder", lanes=2, flows=40, id=6, user=1)
RECORDS = parameters("validator", lanes=1, pipeline="balanced", flows=3, id=2, records=0x0A, record_report=True)
HOLES = parameters("decoder", **COMPACT, flows=2, id=2, null_bytes="anywhere", bom="add")
NAMES = ["flowing", "segments of one byte", "segments of one byte", "one error", "pauses", "waits", "gaps",
         "far into packets", *["segments of several beats"] * 3, "long texts", "no reset", "reset amid packets"]
"""The first trials of a core with flows, offsets of 16 bits, and no other option."""

pytestmark = pytest.mark.needs("berkeley-abc")


@cache
def broken(core: TranscoderParameters, *wires: str) -> Mutated:
    return mutated_at(core, wires, Engine.find()) if wires else mutated(core, 3, 1, Engine.find())


def first(core: TranscoderParameters, count: int = len(NAMES)) -> list[Trial]:
    return list(islice(core_trials(core, 1), count))


@pytest.mark.slow
def test_the_first_trials_of_a_core_with_flows() -> None:
    trials = first(VALIDATOR)
    assert [trial.name for trial in trials] == NAMES
    assert all(isinstance(packet, Segment) for trial in trials for packet in trial.packets)


@pytest.mark.slow
@pytest.mark.parametrize("core", [VALIDATOR, LINE, HOLES, *(
    pytest.param(core, marks=pytest.mark.records) for core in (MANY, RECORDS))], ids=str)
def test_the_sound_core_passes_them(core: TranscoderParameters) -> None:
    trials = first(core, 20)
    assert {"reset amid packets", "far into packets"} <= {trial.name for trial in trials}
    assert [trial.name for trial in trials if kill(broken(core).design, trial, 0) is not None] == []


@pytest.mark.slow
@pytest.mark.parametrize(("core", "wire", "mode", "kills"), [
    (VALIDATOR, "m_axis_tid", "inv", {"report", "output"}), (VALIDATOR, "m_axis_tuser", "inv", {"report"}),
    (LINE, "m_axis_tlast", "const0", {"output", "protocol", "hang"}),
])
def test_a_fault_of_an_output_is_found(core: TranscoderParameters, wire: str, mode: str, kills: set[str]) -> None:
    faulty = broken(core, wire)
    at = [number for number, mutation in enumerate(faulty.mutations, 1) if mutation.mode == mode]
    found = {kill(faulty.design, first(core, 1)[0], number) for number in at[-1:]}
    assert found
    assert found <= kills


@pytest.mark.slow
def test_most_mutants_are_killed_by_the_first_trials() -> None:
    core = mutated(VALIDATOR, 20, 1, Engine.find())
    trials = first(VALIDATOR)
    kills = [any(kill(core.design, trial, number) for trial in trials) for number in range(1, 21)]
    assert kills.count(False) <= 3


@pytest.mark.slow
def test_two_sound_cores_are_equal_as_far_as_the_comparison_looks() -> None:
    """The input keeps the flow of a waiting beat. Without that the context of another flow is used."""
    core = parameters("validator", **COMPACT, flows=2, id=1, report="none")
    with comparison(broken(core), Engine.find()) as side_by_side:
        outcome, _ = side_by_side.outcome(0, 30)
    assert outcome.verdict in ("proven", "undecided")


def test_the_comparison_has_one_flow_a_packet() -> None:
    text = _further_ports(parameters("validator", **COMPACT, flows=3, id=4)).text
    assert "(any_tid & 3) < 3 ? any_tid : 0;" in text
    assert "any_tid" not in _further_ports(parameters("validator", **COMPACT, id=4)).text


@pytest.mark.parametrize(("options", "opens"), [
    ({}, 25), ({"flows": 1}, 33), ({"flows": 2, "id": 1}, 41), ({"flows": 8, "id": 3}, 42),
    ({"flows": 64, "id": 6}, 98)])
def test_the_cycle_in_which_a_core_becomes_ready(options: dict[str, int], opens: int) -> None:
    """As simulated; the trials fail in any other cycle."""
    assert describe(parameters("validator", **COMPACT, **options))["start_cycles"] == opens


def test_whole_texts_are_segments_of_all_flows() -> None:
    packets = whole_texts(RECORDS, [b"a", Segment(b"b", 2, True), b"c", b"d"])
    assert [(each.flow, each.more) for each in packets if isinstance(each, Segment)] == [
        (0, False), (2, True), (2, False), (0, False)]
    assert whole_texts(parameters("validator"), [b"a"]) == [b"a"]


def texts_of(segments: Sequence[bytes]) -> list[bytes]:
    """The texts that the segments make, in the order of their ends."""
    texts: dict[int, bytes] = {}
    found: list[bytes] = []
    for each in segments:
        assert isinstance(each, Segment)
        texts[each.flow] = texts.get(each.flow, b"") + each
        if not each.more:
            found.append(texts.pop(each.flow))
    assert not texts
    return found


def test_segments_make_up_their_texts() -> None:
    texts = [bytes([number]) * (number % 7) for number in range(60)]
    segments = list(in_segments(MANY, texts, 1))
    assert sorted(texts_of(segments)) == sorted(texts)
    assert len({each.flow for each in segments}) > 10
    assert texts_of(list(byte_by_byte(MANY, texts))) == texts
    assert {each.flow for each in in_few_flows(MANY, segments) if isinstance(each, Segment)} == {*range(NOISY)}


def test_segments_of_several_beats_make_up_their_texts() -> None:
    texts = [bytes([number]) * 300 for number in range(60)]
    segments = list(in_beats(MANY, texts, 1))
    assert sorted(texts_of(segments)) == sorted(texts)
    assert len({each.flow for each in segments}) == 40
    assert {len(each) for each in segments} >= {0, 1, MANY.input_bytes * MOST_BEATS}


def test_a_long_segment_ends_anywhere_in_a_character_of_its_text() -> None:
    found = [list(around(VALIDATOR, b"b" * 500, b"a", 1, Random(seed))) for seed in range(40)]
    assert {len(text[0]) for text in found} == {len(text[1]) - 500 for text in found} == {0, 1, 2, 3}
    assert {len(each) for text in found for each in text[2:]} == {0, 1, 2, 3}
    for text in found:
        assert texts_of(text) == [text[0] + b"b" * 500 + "\U00010348€é".encode()]
        assert sum(max(1, len(each)) for each in text) <= 500 + MOST_AROUND


def test_an_error_is_as_far_in_the_rest_of_its_text() -> None:
    packets = [Segment(b"ab", 1, True), Segment(b"c\xFF", 1, True), Segment(b"d", 0), Segment(b"", 1)]
    trial = mutation_trials._trial("x", VALIDATOR, packets, far=[0, 0x100, 0, 0x100])
    reports = [each.end.tuser & 0xFFFFF for each in trial.expected]
    assert [report >> 4 for report in reports] == [0, 0x103, 0, 0x103]


def test_offsets_of_long_texts_reach_each_bit_and_more() -> None:
    flow, offsets = Flow(VALIDATOR), []
    for text in texts_of(long_texts(VALIDATOR)):
        error = flow.segment(text).error
        assert error is not None
        offsets.append(error.offset)
    assert {1 << bit for bit in range(17)} <= {*offsets}
    assert long_texts(MANY) == []


@pytest.mark.parametrize("core", [VALIDATOR, LINE], ids=str)
def test_cycles_are_those_of_the_model_of_cycles(core: TranscoderParameters) -> None:
    packets = [Segment(b"ab\xE2", 0, True), Segment(b"\x82\xAC", 0)]
    found, limit = expected_cycles(core, packets, Stalls(0.2, 0.3))
    assert found[0].last_out < found[1].last_out < limit


def test_the_expected_output_is_that_of_the_flow() -> None:
    trial = mutation_trials._trial("x", MANY, [Segment(b"a\xE2\x82", 3, True), Segment(b"b", 1), Segment(b"\xAC", 3)])
    assert [each.output.decode("utf-32-le") for each in trial.expected] == ["a", "b", "€"]
    assert [each.end.id for each in trial.expected] == [3, 1, 3]
