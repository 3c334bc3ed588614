"""Mutants of splitters, filters and record reports: the trials find their faults, on each of their streams."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice

import pytest
from runewire_model import TranscoderParameters, parameters, validate
from runewire_proofs import Engine
from runewire_sim.mutation import trials as mutation_trials
from runewire_sim.mutation.equivalence import _further_ports
from runewire_sim.mutation.netlist import Mutated, counter_width, mutated, mutated_at
from runewire_sim.mutation.record_trials import counted_records, long_records
from runewire_sim.mutation.trial_cycles import SLACK, expected_cycles
from runewire_sim.mutation.trials import Trial, core_trials, kill
from runewire_sim.rejects import reject_end
from runewire_sim.stalls import Stalls

SPLITTER = parameters("splitter", lanes=1, pipeline="balanced", longest=2, user=1)
SPLIT = parameters("validator", lanes=1, pipeline="compact", split=0x0A)
FILTER = parameters("filter", lanes=1, pipeline="balanced", longest=16, rejects=True)
RECORDS = parameters("validator", lanes=1, pipeline="balanced", records=0x0A, record_report=True, offset_bits=16)
MOVED = parameters("sanitizer", lanes=1, pipeline="compact", records=0x0A)
NAMES = ("flowing", "one stream waits", "the output waits", "both wait", "few records", "long records")
"""The first trials of a core with records."""

pytestmark = pytest.mark.needs("berkeley-abc")


@cache
def broken(core: TranscoderParameters, *wires: str) -> Mutated:
    return mutated_at(core, wires, Engine.find()) if wires else mutated(core, 3, 1, Engine.find())


def first(core: TranscoderParameters) -> list[Trial]:
    return list(islice(core_trials(core, 1), len(NAMES)))


@pytest.mark.slow
@pytest.mark.parametrize("core", [
    SPLITTER, RECORDS, MOVED, *(pytest.param(core, marks=pytest.mark.records) for core in (SPLIT, FILTER))], ids=str)
def test_the_sound_core_passes_the_trials_of_records(core: TranscoderParameters) -> None:
    trials = first(core)
    assert [trial.name for trial in trials] == [*NAMES]
    assert [trial.name for trial in trials if kill(broken(core).design, trial, 0) is not None] == []
    far = [trial for trial in islice(core_trials(core, 1), 12) if trial.name == "far into packets"]
    assert bool(far) == bool(counter_width(core)) == (core is not SPLITTER)
    assert [kill(broken(core).design, trial, 0) for trial in far] == [None] * len(far)


@pytest.mark.slow
@pytest.mark.parametrize(("core", "wire", "mode", "kills"), [
    (SPLITTER, "m_axis_tlast", "const0", {"output", "protocol"}),
    (SPLITTER, "m_axis_tdata", "inv", {"output", "protocol"}),
    (RECORDS, "m_records_tdata", "inv", {"report", "protocol"}),
    (RECORDS, "m_records_tvalid", "const0", {"report"}),
    *(pytest.param(FILTER, *each, marks=pytest.mark.records) for each in (
        ("m_rejects_tdata", "inv", {"output", "protocol"}),
        ("m_rejects_tvalid", "const0", {"hang", "output"}))),
])
def test_a_fault_of_each_stream_is_found(core: TranscoderParameters, wire: str, mode: str, kills: set[str]) -> None:
    faulty = broken(core, wire)
    at = [number for number, mutation in enumerate(faulty.mutations, 1) if mutation.mode == mode and not mutation.bit]
    trials = first(core)
    found = {next(filter(None, (kill(faulty.design, trial, number) for trial in trials)), "") for number in at[:2]}
    assert found
    assert found <= kills


@pytest.mark.slow
def test_what_is_expected_of_records_is_compared() -> None:
    """The expected values are changed instead of the core."""
    trial = first(RECORDS)[0]
    place = next(at for at, packet in enumerate(trial.expected) if packet.bad_records)
    there = trial.expected[place]

    def changed(**values: object) -> Trial:
        return replace(trial, expected=[*trial.expected[:place], replace(there, **values), *trial.expected[place + 1:]])

    design = broken(RECORDS).design
    late = there.bad_records[0]._replace(offset=there.bad_records[0].offset + 1)
    assert kill(design, trial, 0) is None
    assert kill(design, changed(bad_records=(late, *there.bad_records[1:])), 0) == "report"
    assert kill(design, changed(marks=bytes(len(there.marks))), 0) == "report"
    assert kill(design, changed(cycles=there.cycles._replace(last_out=0)), 0) == "cycles"


@pytest.mark.slow
@pytest.mark.records
def test_what_is_expected_of_rejects_is_compared() -> None:
    trial = first(FILTER)[0]
    design, some = broken(FILTER).design, trial.rejects[3]
    other = [replace(some, tuser=some.tuser ^ 1), replace(some, data=some.data + b"x")]
    assert kill(design, trial, 0) is None
    assert [kill(design, replace(trial, rejects=[*trial.rejects[:3], each, *trial.rejects[4:]]), 0)
            for each in other] == ["report", "output"]
    assert kill(design, replace(trial, rejects=trial.rejects[:-1]), 0) == "output"


@pytest.mark.parametrize(("core", "streams"), [
    (RECORDS, {"m_records_tvalid", "m_records_tdata"}), (SPLITTER, set()),
    (FILTER, {f"m_rejects_t{name}" for name in ("valid", "data", "keep", "last", "user")})],
    ids=lambda value: "streams" if isinstance(value, set) else str(value))
def test_the_comparison_includes_each_further_stream(core: TranscoderParameters, streams: set[str]) -> None:
    text = _further_ports(core).text
    differs = next(line for line in text.splitlines() if line.startswith("assign bad_report = "))
    assert {*re.findall(r"(\w+)\[0\] != \1\[1\]", differs)} == streams
    assert all(f".{name}({name}[side])" in text for name in streams)


def test_a_record_report_that_waits_moves_the_limit_and_the_packets() -> None:
    core = parameters("validator", lanes=4, records=0x0A, record_report=True)
    found = [expected_cycles(core, [b"\xFF\n\xFF\n"] * 100, Stalls(0, 0, 1, records=pause)) for pause in (0.0, 0.9)]
    (packets, limit), (slow_packets, slow_limit) = found
    assert packets is not None
    assert slow_packets is not None
    assert slow_packets[-1].last_out > 2 * packets[-1].last_out
    assert slow_limit > 2 * packets[-1].last_out + SLACK > limit


@pytest.mark.parametrize("core", [SPLITTER, FILTER, RECORDS], ids=str)
def test_long_records_are_around_the_limits(core: TranscoderParameters) -> None:
    sizes = {len(packet) for packet in long_records(core)}
    longest = core.sidebands.longest
    assert longest is None or {longest, longest + 1, longest + 2} <= sizes
    assert {63, 64, 65} <= sizes
    if core.filters:
        found = [reject for packet in long_records(core) for reject in core.rejects(packet)]
        assert {(each.error is not None, each.long) for each in found} == {(True, False), (False, True), (True, True)}


def test_records_are_counted_to_all_ones_where_that_takes_few_cycles() -> None:
    first, second, third = counted_records(RECORDS)
    [many] = first
    assert many.count(b"\n") > 1 << 16
    assert max(packet.index(b"\n") for packet in second) > 1 << 16
    assert len(third) >= 1 << 16
    assert [*counted_records(parameters("validator", lanes=1, records=0x0A, record_report=True))] == []
    assert [*counted_records(FILTER)] == []


def test_random_packets_of_a_core_with_records_have_some() -> None:
    packets = list(mutation_trials._random(RECORDS, 100, 1, 20))
    assert sum(packet.count(b"\n") for packet in packets) > 200
    records = [record for packet in mutation_trials._random(FILTER, 100, 1, 20) for record in packet.split(b"\n")]
    assert any(max(record, default=0) > 0x7F and validate(record) is None for record in records)


def test_an_error_far_into_a_filter_s_packet_is_one_of_its_text() -> None:
    [trial] = mutation_trials._far(FILTER, Stalls())
    offset = next(field for field in FILTER.sidebands.reject_end if field.name == "offset")
    offsets = [each.tuser >> offset.lsb & (1 << offset.width) - 1 for each in trial.rejects]
    assert max(offsets) > 1 << 31


def test_rejects_of_equal_packets_have_far_offsets_of_their_own() -> None:
    trials = [trial for stalls in (Stalls(), Stalls(0.4, 0.3, 1)) for trial in mutation_trials._far(FILTER, stalls)]
    assert len(trials) == 2
    for trial in trials:
        packets = trial.packets[::2]
        assert len({*packets}) < len(packets)
        ends = [reject_end(FILTER.sidebands, reject.tuser) for reject in trial.rejects]
        offsets = [end.error.offset for end in ends if end.error is not None]
        assert len(offsets) == len(packets)
        assert min(offsets) > 1 << 16


def test_text_around_a_far_error_of_a_filter_has_a_byte_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    fillers = []

    def far(core: TranscoderParameters, stalls: Stalls, filler: str = "a") -> Iterator[Trial]:
        fillers.append(filler)
        return iter(())

    monkeypatch.setattr(mutation_trials, "_far", far)
    monkeypatch.setattr(mutation_trials, "_random", lambda *arguments: iter(()))
    monkeypatch.setattr(mutation_trials, "_trial", lambda name, core, packets, stalls=None, *plus: Trial(
        name, packets, stalls or Stalls(), plus, []))
    assert len(list(core_trials(FILTER, 1))) > 50
    assert {len(filler.encode()) for filler in fillers} == {1}
