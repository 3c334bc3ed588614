"""The input stage: each beat passes once, in order, with the next unit; a missing unit ends a sequence."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from amaranth.hdl import Const, Module, Signal
from runewire_rtl.input.input_stage import (
    InputPort,
    InputStage,
    Lookahead,
    accept,
    accept_offered,
    accept_offered_with_lookahead,
    accept_with_lookahead,
)
from runewire_rtl.pipeline import Plan
from runewire_rtl.pipeline.layout_policy import NAIVE
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.stream_shapes import input_beat

PACKETS = [b"", b"\x81", b"", b"\xE2\x82\xAC\xF0\x9F\x98\x80", bytes(range(120, 151)), b"\xFF" * 8, b"",
           b"\xC3\xA9" * 5]


def offers(packets: Sequence[bytes], lanes: int, unit_bytes: int = 1) -> list[tuple[list[int], int, int]]:
    """Input beats: data per lane, keep per byte, last. Unkept bytes have bit 7 set, the worst case."""
    rng = random.Random(3)
    beats = []
    size = lanes * unit_bytes
    for packet in packets:
        starts = range(0, max(1, len(packet)), size)
        for start in starts:
            part = packet[start : start + size]
            octets = bytes([*part, *(rng.randrange(128, 256) for _ in range(size - len(part)))])
            data = [int.from_bytes(octets[at : at + unit_bytes], "little") for at in range(0, size, unit_bytes)]
            beats.append((data, (1 << len(part)) - 1, int(start == starts[-1])))
    return beats


def drive(
    cycles, m: Module, port, beats, pauses: Sequence[bool], watched
) -> tuple[list[int], list[tuple[int, ...]]]:
    """Send one beat per cycle except in pauses; all are taken. Returns the cycles of transfers, and the signals
    watched."""
    taken, stimuli, queue = [], [], list(beats)
    rng = random.Random(5)
    lanes, width = len(port.payload.data), len(port.payload.keep)
    bits = 8 * width // lanes
    for cycle in range(len(pauses) + 12):
        valid = bool(queue) and (cycle >= len(pauses) or not pauses[cycle])
        if valid:
            data, keep, last = queue.pop(0)
            taken.append(cycle)
        else:
            data = [rng.getrandbits(bits) for _ in range(lanes)]
            keep, last = rng.getrandbits(width), rng.getrandbits(1)
        stimuli.append([
            (port.valid, int(valid)), (port.ready, 1), (port.payload.keep, keep), (port.payload.last, last),
            *((port.payload.data[lane], value) for lane, value in enumerate(data)),
        ])
    assert not queue
    return taken, cycles(m, stimuli, watched)


def whole(source: InputStage) -> tuple[list[Signal], int]:
    """The signals watched: accepted; and valid, last, keep and data when the beat is complete; cycles until then."""
    values = [source.pipeline.valid, source.pipeline.last, *source.kept.values, *source.data.values]
    step = max(value.step for value in values)
    return [source.accepted, *(value.at(step) for value in values)], source.latency + source.pipeline.latency(step)


@pytest.mark.parametrize("stall", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("lanes", "unit_bytes", "absent"), [
    (1, 1, 0x80), (2, 1, 0x80), (4, 1, 0x80), (8, 1, 0x80), (64, 1, 0x80), (4, 1, 0), (1, 2, 0x0480), (4, 2, 0xD800),
    (2, 4, 0xFFFFFFFF),
])
def test_hold_passes_each_beat_with_the_unit_after_it(
    cycles, lanes: int, unit_bytes: int, absent: int, stall: float
) -> None:
    m = Module()
    port = input_beat(lanes, unit_bytes).create()
    source = accept_with_lookahead(InputPort(m, port, Plan.FAST, Restart.never()), Lookahead(absent))
    assert source.lookahead
    beats = offers(PACKETS, lanes, unit_bytes)
    rng = random.Random(2)
    pauses = [rng.random() < stall for _ in range(int(3 * len(beats) / (1.01 - stall)))]
    watched, latency = whole(source)
    taken, seen = drive(cycles, m, port, beats, pauses, watched)

    assert [cycle for cycle, row in enumerate(seen) if row[0]] == [cycle + 1 for cycle in taken]
    passed = [cycle for cycle, row in enumerate(seen) if row[1]]
    # A beat leaves with the next one of its packet, its last one alone.
    assert passed == [
        (cycle if last else taken[number + 1] - 1) + latency
        for number, (cycle, (_, _, last)) in enumerate(zip(taken, beats, strict=True))
    ]
    for number, cycle in enumerate(passed):
        data, keep, last = beats[number]
        _, _, seen_last, *rest = seen[cycle]
        assert seen_last == last
        # A unit is present if its first byte is, complete or not.
        there = [keep >> lane * unit_bytes & 1 for lane in range(lanes)]
        assert rest[:lanes] == there
        got = rest[lanes:]
        for lane in range(lanes):
            assert got[lane] == (data[lane] if there[lane] else data[lane] & ~absent)
        after, after_kept = (0, 0) if last else (beats[number + 1][0][0], beats[number + 1][1] & 1)
        if after_kept:
            assert got[lanes] == after
        else:
            assert got[lanes] & absent == 0, "a unit beyond the packet does not read as absent"
    for row in seen:
        if not row[1]:
            assert not any(row[2 : 3 + lanes]), "a lane is kept, or a last marked, without a beat"


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize(("lanes", "unit_bytes", "units"), [(1, 1, 3), (2, 1, 3), (4, 1, 3), (8, 1, 3), (1, 2, 2)])
def test_beats_wait_for_as_many_units_as_are_asked_for(
    cycles, lanes: int, unit_bytes: int, units: int, stall: float
) -> None:
    """Or for the packet's last beat: the beats before it then leave one after another, and it follows."""
    m = Module()
    port = input_beat(lanes, unit_bytes).create()
    absent = 0x80
    source = accept_with_lookahead(InputPort(m, port, Plan.FAST, Restart.never()), Lookahead(absent, units))
    waits = -(-units // lanes)
    assert source.lookahead == waits
    beats = offers(PACKETS, lanes, unit_bytes)
    rng = random.Random(8)
    pauses = [rng.random() < stall for _ in range(int(3 * len(beats) / (1.01 - stall)))]
    pipeline = source.pipeline
    watched = [value.at(0) for value in (pipeline.valid, pipeline.last, *source.data.values, *source.keep.values)]
    taken, seen = drive(cycles, m, port, beats, pauses, watched)

    passed = [cycle for cycle, row in enumerate(seen) if row[0]]
    ends = [next(number for number in range(start, len(beats)) if beats[number][2]) for start in range(len(beats))]
    until = [min(number + waits, end) for number, end in enumerate(ends)]
    assert passed == [taken[to] - (to - number) + source.latency for number, to in enumerate(until)]
    for number, cycle in enumerate(passed):
        _, last, *rest = seen[cycle]
        assert last == beats[number][2]
        got, kept = rest[: lanes + units], rest[lanes + units :]
        known = [(unit, keep >> lane * unit_bytes & (1 << unit_bytes) - 1)
                 for data, keep, _ in beats[number : ends[number] + 1] for lane, unit in enumerate(data)]
        known += [(0, 0)] * units
        for at, (unit, keep) in enumerate(known[: lanes + units]):
            assert got[at] == unit if keep & 1 else got[at] & absent == 0
            if at < lanes or unit_bytes > 1:
                assert kept[at] == keep


@pytest.mark.parametrize("lanes", [1, 4])
def test_take_passes_each_beat_by_itself(cycles, lanes: int) -> None:
    m = Module()
    port = input_beat(lanes, 4).create()
    source = accept(InputPort(m, port, Plan.FAST, Restart.never()))
    assert not source.lookahead
    rng = random.Random(4)
    beats = [([rng.getrandbits(32) for _ in range(lanes)], rng.getrandbits(4 * lanes), rng.getrandbits(1))
             for _ in range(40)]
    pauses = [rng.random() < 0.4 for _ in range(90)]
    watched, latency = whole(source)
    taken, seen = drive(cycles, m, port, beats, pauses, watched)
    assert [cycle for cycle, row in enumerate(seen) if row[0]] == [cycle + 1 for cycle in taken]
    assert [cycle for cycle, row in enumerate(seen) if row[1]] == [cycle + latency for cycle in taken]
    for cycle, (data, keep, last) in zip(taken, beats, strict=True):
        assert list(seen[cycle + latency][2:]) == [last, *(keep >> 4 * i & 1 for i in range(lanes)), *data]


def looking_ahead(port: InputPort) -> InputStage:
    return accept_with_lookahead(port, Lookahead(0x80))


@pytest.mark.parametrize("stage", [looking_ahead, accept])
@pytest.mark.parametrize(("lanes", "unit_bytes"), [(1, 1), (3, 2), (2, 4)])
def test_of_each_unit_it_is_known_which_bytes_count(cycles, stage, lanes: int, unit_bytes: int) -> None:
    m = Module()
    port = input_beat(lanes, unit_bytes).create()
    source = stage(InputPort(m, port, Plan.FAST, Restart.never()))
    rng = random.Random(6)
    beats = [([0] * lanes, rng.getrandbits(lanes * unit_bytes), 1) for _ in range(60)]
    watched = [value.at(0) for value in (*source.keep.values, *source.there.values)]
    taken, seen = drive(cycles, m, port, beats, [False] * 60, watched)
    for cycle, (_, keep, _) in zip(taken, beats, strict=True):
        units = [keep >> unit_bytes * lane & (1 << unit_bytes) - 1 for lane in range(lanes)]
        # Each packet is one beat: there is none after it.
        after = [0] if source.lookahead and unit_bytes > 1 else []
        assert list(seen[cycle + source.latency]) == [*units, *after, *(unit & 1 for unit in units)]


@pytest.mark.parametrize("lanes", [1, 2])
def test_of_the_unit_after_a_beat_it_is_known_which_bytes_count(cycles, lanes: int) -> None:
    m = Module()
    port = input_beat(lanes, 2).create()
    source = accept_with_lookahead(InputPort(m, port, Plan.FAST, Restart.never()), Lookahead(0))
    rng = random.Random(7)
    beats = [([0] * lanes, rng.getrandbits(2 * lanes), rng.getrandbits(1)) for _ in range(80)]
    watched = [source.pipeline.valid.at(0), source.keep.values[lanes].at(0)]
    _, seen = drive(cycles, m, port, beats, [False] * 80, watched)
    expected = [0 if last else after[1] & 3 for (_, _, last), after in pairwise(beats)]
    assert [after for valid, after in seen if valid][: len(expected)] == expected


@pytest.mark.parametrize("unit_bytes", [1, 2, 4])
def test_a_unit_is_whole_with_all_its_bytes(cycles, unit_bytes: int) -> None:
    """A hole between the first and the last byte counts too."""
    m = Module()
    port = input_beat(1, unit_bytes).create()
    source = accept(InputPort(m, port, Plan.COMPACT, Restart.never()))
    beats = [([0], keep, 1) for keep in range(1 << unit_bytes)]
    taken, seen = drive(cycles, m, port, beats, [False] * len(beats), [source.whole[0].at(source.whole[0].step)])
    for cycle, (_, keep, _) in zip(taken, beats, strict=True):
        assert seen[cycle + source.latency] == (int(keep == (1 << unit_bytes) - 1),)


@pytest.mark.parametrize("stage", [looking_ahead, accept])
def test_a_beat_that_is_not_taken_leaves_no_trace(cycles, stage) -> None:
    m = Module()
    port = input_beat(1, 1).create()
    source = stage(InputPort(m, port, Plan.FAST, Restart.never()))
    stimuli = [
        [(port.valid, 1), (port.ready, int(cycle == 3)), (port.payload.last, 1), (port.payload.keep, 1),
         (port.payload.data[0], cycle)]
        for cycle in range(8)
    ]
    seen = cycles(m, stimuli, [source.pipeline.valid.at(0), source.data[0].at(0)])
    assert [data for valid, data in seen if valid] == [3]


@pytest.mark.parametrize("stage", [looking_ahead, accept])
def test_a_flush_sends_packets_of_one_beat(simulate, stage) -> None:
    """They are sent whatever the port shows, though no beat is accepted."""
    m = Module()
    flush = Signal()
    port = input_beat(2, 1).create()
    source = stage(InputPort(m, port, Plan.FAST, Restart(flush, Const(0))))
    seen = []

    async def bench(ctx) -> None:
        ctx.set(port.valid, 1)
        ctx.set(port.payload.keep, 3)
        for cycle in range(16):
            ctx.set(flush, cycle in (2, 3, 4))
            *_, valid, last = await ctx.tick().sample(source.pipeline.valid.at(0), source.pipeline.last.at(0))
            seen.append((valid, last))

    simulate(m, bench)
    start = 2 + source.latency
    assert seen == [(int(start <= cycle < start + 3),) * 2 for cycle in range(16)]


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize(("lanes", "unit_bytes", "ahead"), [(1, 1, True), (4, 1, True), (2, 2, True), (1, 4, False)])
def test_bytes_that_are_not_kept_are_zero_where_units_pass_through(
    cycles, lanes: int, unit_bytes: int, ahead: bool, order: str,
) -> None:
    m = Module()
    port = input_beat(lanes, unit_bytes).create()
    given = InputPort(m, port, Plan.COMPACT, Restart.never(), NAIVE, None, order)
    source = accept_offered_with_lookahead(given, Lookahead(0)) if ahead else accept_offered(given)
    beats = offers(PACKETS, lanes, unit_bytes)
    _, seen = drive(cycles, m, port, beats, [False] * len(beats),
                    [source.pipeline.valid.at(0), *(value.at(0) for value in source.data.beat())])
    passed = [units for valid, *units in seen if valid]
    places = range(unit_bytes) if order == "little" else range(unit_bytes)[::-1]
    for units, (data, keep, _) in zip(passed, beats, strict=True):
        for lane, (unit, given) in enumerate(zip(units, data, strict=True)):
            kept = sum(0xFF << 8 * place for at, place in enumerate(places) if keep >> lane * unit_bytes + at & 1)
            assert unit == given & kept
