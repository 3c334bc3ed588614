"""What is wrong with a packet of UTF-8 first, against the model."""

from itertools import product

import pytest
from runewire_model import ErrorKind, FirstError, validate
from runewire_rtl.encodings.utf8.faults import find_faults
from runewire_rtl.pipeline import Plan


def undecided(representatives: bytes, length: int) -> list[bytes]:
    """Packets up to ``length`` of which no shorter part settles the first error."""
    packets, front = [], [b""]
    for _ in range(length):
        front = [start + bytes([byte]) for start in front for byte in representatives
                 if validate(start + b"A") is None or validate(start + b"A") != validate(start + b"\x80" * 3)]
        packets += front
    return packets


def first_faults(
    lane_bench, cut_packets, packets: list[bytes], lanes: int, plan: Plan
) -> list[FirstError | None]:
    bench = lane_bench(lanes, plan)
    faults = find_faults(bench.data)
    results = [value for flags in (faults.any, *faults.kind, *faults.back) for value in flags.beat()]
    row = iter(bench.run(cut_packets(packets, lanes), results))
    found = []
    for packet in packets:
        first = None
        for start in range(0, max(1, len(packet)), lanes):
            flags = next(row)
            by_lane = [flags[lane::lanes] for lane in range(lanes)]
            for lane, (fault, kind0, kind1, kind2, back0, back1) in enumerate(by_lane):
                if fault and first is None:
                    first = FirstError(kind0 + 2 * kind1 + 4 * kind2, start + lane - back0 - 2 * back1)
        found.append(first)
    return found


@pytest.mark.parametrize(("lanes", "length"), [
    (1, 4), (2, 4), (4, 4), *(pytest.param(lanes, 5, marks=pytest.mark.slow) for lanes in (2, 4))])
def test_first_fault_of_every_short_packet(
    lane_bench, cut_packets, representatives, lanes: int, length: int
) -> None:
    packets = undecided(representatives, length)
    errors = [error for packet in packets if (error := validate(packet))]
    assert {(error.kind, error.offset) for error in errors} >= set(product(ErrorKind, range(length - 3)))
    found = first_faults(lane_bench, cut_packets, packets, lanes, Plan.FAST)
    wrong = {packet.hex(" "): (got, validate(packet))
             for packet, got in zip(packets, found, strict=True) if got != validate(packet)}
    assert wrong == {}


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_first_fault_of_packets_after_each_other(
    lane_bench, cut_packets, mixed_packets, lanes: int, plan: Plan
) -> None:
    packets = mixed_packets(100, 10 + lanes)
    found = first_faults(lane_bench, cut_packets, packets, lanes, plan)
    assert found == [validate(packet) for packet in packets]
