"""First error of a packet: its kind and offset, however far into the packet, and whatever preceded the packet."""

import random
from dataclasses import dataclass

import pytest
from runewire_model import ErrorKind
from runewire_rtl.encodings.base import Faults
from runewire_rtl.pipeline import Lanes, Plan
from runewire_rtl.report.first_error import first_error
from runewire_rtl.stream_shapes import KIND_WIDTH, OFFSET_WIDTH

NO_BACK = 0
BACK_WIDTH = 2


@dataclass(frozen=True)
class Fault:
    """A fault that shows in lane ``at`` of the packet, in a sequence that began ``back`` lanes earlier."""

    at: int
    kind: int
    back: int = 0


def reports(lane_bench, beat, packets: list[tuple[int, list[Fault]]], lanes: int, plan: Plan, *,
            back: int = BACK_WIDTH, gaps: float = 0.2, offset_width: int = OFFSET_WIDTH,
            amount: str = "full") -> list[int]:
    """The report of each packet, given by its number of beats and its faults. No other beat may have one.

    A lane carries a fault flag, its kind and its distance back; without a fault the latter are noise.
    """
    width = 1 + KIND_WIDTH + back
    bench = lane_bench(lanes, plan, width=width, lookahead=False, gaps=gaps)

    def part(name: str, bit: int) -> Lanes:
        return Lanes.map(name, lambda flags: flags[bit], bench.data)

    report = first_error(bench.pipeline, Faults(
        any=part("any", 0),
        kind=[part(f"kind{i}", 1 + i) for i in range(KIND_WIDTH)],
        back=[part(f"back{i}", 1 + KIND_WIDTH + i) for i in range(back)],
    ), offset_width, amount)
    assert report.shape.width == {"flag": 1, "kind": 1 + KIND_WIDTH, "full": 1 + KIND_WIDTH + offset_width}[amount]
    rng = random.Random(lanes)

    def beats():
        for count, faults in packets:
            data = {fault.at: 1 | fault.kind << 1 | fault.back << 1 + KIND_WIDTH for fault in faults}
            for number in range(count):
                positions = range(number * lanes, (number + 1) * lanes)
                lane_data = [data.get(at, rng.getrandbits(width) & ~1) for at in positions]
                yield beat(lane_data, 0, number == count - 1)

    rows = bench.run(beats(), [report])
    found, row = [], iter(rows)
    for count, _ in packets:
        *others, (last,) = [next(row) for _ in range(count)]
        assert not any(value for (value,) in others), "a report before the last beat"
        found.append(last)
    return found


def expected(faults: list[Fault], offset_width: int = 32) -> int:
    if not faults:
        return 0
    first = min(faults, key=lambda fault: fault.at)
    return 1 | first.kind << 1 | min(first.at - first.back, (1 << offset_width) - 1) << 1 + KIND_WIDTH


def random_packets(lanes: int, count: int, back: int) -> list[tuple[int, list[Fault]]]:
    rng = random.Random(count + lanes)
    packets = []
    for _ in range(count):
        beats = rng.choice([1, 1, 2, 3, rng.randrange(1, 40)])
        size = beats * lanes
        places = rng.sample(range(size), min(size, rng.choice([0, 0, 1, 1, 2, 5])))
        packets.append((beats, [
            Fault(at, rng.choice(list(ErrorKind)).value, rng.randrange(min(at, (1 << back) - 1) + 1))
            for at in places
        ]))
    return packets


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2, 4, 8, pytest.param(16, marks=pytest.mark.slow)])
@pytest.mark.parametrize("back", [NO_BACK, BACK_WIDTH])
def test_first_of_several_faults(lane_bench, beat, lanes: int, plan: Plan, back: int) -> None:
    packets = random_packets(lanes, 150, back)
    found = reports(lane_bench, beat, packets, lanes, plan, back=back)
    assert found == [expected(faults) for _, faults in packets]


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_every_distance_across_the_start_of_a_beat(lane_bench, beat, lanes: int) -> None:
    beats = 16
    packets = [
        (beats, [Fault(at, ErrorKind.OVERLONG, back)])
        for at in range(3, beats * lanes) for back in range(4) if at % lanes < 4
    ]
    found = reports(lane_bench, beat, packets, lanes, Plan.FAST, gaps=0.05)
    assert found == [expected(faults) for _, faults in packets]


@pytest.mark.parametrize("lanes", [32, 256])
def test_every_lane_of_a_wide_core_has_its_offset(lane_bench, beat, lanes: int) -> None:
    """Packets of two beats. A sequence begins up to three lanes before its fault, also in the four lanes before.
    Of 256 lanes: those whose number has one bit, or all but one, and their neighbours."""
    edges = {at for bit in range(lanes.bit_length()) for at in (1 << bit, (1 << bit) - 1, lanes - 1 - (1 << bit))}
    tried = range(lanes) if lanes < 64 else sorted(at for at in edges if 0 <= at < lanes)
    packets = [(2, [Fault(lanes + at, ErrorKind.OVERLONG, 3 - at % 4)]) for at in tried]
    found = reports(lane_bench, beat, packets, lanes, Plan.FAST, gaps=0.0)
    assert found == [expected(faults) for _, faults in packets]


@pytest.mark.parametrize("plan", [Plan.FAST, Plan.COMPACT])
@pytest.mark.parametrize("gaps", [0.0, 0.5])
@pytest.mark.parametrize("lanes", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_the_beat_counter_carries(lane_bench, beat, lanes: int, gaps: float, plan: Plan) -> None:
    """Around every 16th and 256th beat, and past the 4096th; short packets in between reset it anywhere."""
    packets: list[tuple[int, list[Fault]]] = []
    marks = [beat for edge in (16, 32, 240, 256, 272, 512) for beat in (edge - 1, edge, edge + 1)]
    for mark in marks:
        packets.append((mark + 1, [Fault(mark * lanes + lanes - 1, ErrorKind.TOO_LARGE, 3 if mark else 0)]))
        packets.append((1 + mark % 3, [Fault(0, ErrorKind.TOO_SHORT)]))
    if gaps == 0.0 and plan is Plan.FAST:
        packets.append((4100, [Fault(4096 * lanes, ErrorKind.SURROGATE, 2)]))
    found = reports(lane_bench, beat, packets, lanes, plan, gaps=gaps)
    assert found == [expected(faults) for _, faults in packets]


@pytest.mark.parametrize("plan", [Plan.FAST, Plan.COMPACT])
@pytest.mark.parametrize("offset_width", [5, 8, 9])
@pytest.mark.parametrize("lanes", [1, 4])
def test_offsets_that_do_not_fit_are_all_ones(lane_bench, beat, lanes: int, offset_width: int, plan: Plan) -> None:
    packets = [(70, [Fault(at, ErrorKind.TOO_LARGE, at % 4)]) for at in (*range(28, 36), *range(66, 70))]
    packets += random_packets(lanes, 60, BACK_WIDTH)
    found = reports(lane_bench, beat, packets, lanes, plan, gaps=0.05, offset_width=offset_width)
    assert found == [expected(faults, offset_width) for _, faults in packets]


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2, 8, 16])
@pytest.mark.parametrize(("amount", "bits"), [("flag", 1), ("kind", 1 + KIND_WIDTH)])
def test_as_much_as_is_asked_for(lane_bench, beat, lanes: int, plan: Plan, amount: str, bits: int) -> None:
    packets = random_packets(lanes, 100, BACK_WIDTH)
    found = reports(lane_bench, beat, packets, lanes, plan, amount=amount)
    assert found == [expected(faults) & (1 << bits) - 1 for _, faults in packets]
