"""What bytes make of each other, against Unicode's Table 3-7 and the model's first error."""

from itertools import product

import pytest
from runewire_model import ErrorKind, FirstError, validate
from runewire_rtl.classes import classify
from runewire_rtl.pipeline import Plan
from runewire_rtl.verdicts import find_faults, judge

TABLE_3_7 = [
    [(0x00, 0x7F)],
    [(0xC2, 0xDF), (0x80, 0xBF)],
    [(0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)],
    [(0xE1, 0xEC), (0x80, 0xBF), (0x80, 0xBF)],
    [(0xED, 0xED), (0x80, 0x9F), (0x80, 0xBF)],
    [(0xEE, 0xEF), (0x80, 0xBF), (0x80, 0xBF)],
    [(0xF0, 0xF0), (0x90, 0xBF), (0x80, 0xBF), (0x80, 0xBF)],
    [(0xF1, 0xF3), (0x80, 0xBF), (0x80, 0xBF), (0x80, 0xBF)],
    [(0xF4, 0xF4), (0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF)],
]
"""Well-formed UTF-8 byte sequences (Unicode 3.9)."""


def pieces(data: bytes) -> list[tuple[int, bool]]:
    """Lengths of the characters and maximal subparts, in order, and whether each is a character."""
    found, start = [], 0
    while start < len(data):
        length, whole = 1, False
        for row in TABLE_3_7:
            fit = 0
            for byte, (low, high) in zip(data[start:], row, strict=False):
                if not low <= byte <= high:
                    break
                fit += 1
            length, whole = max(length, fit), whole or fit == len(row)
        found.append((length, whole))
        start += length
    return found


def verdicts(data: bytes) -> list[tuple[int, int]]:
    """For each byte: does it continue what came before, does it end a character."""
    return [(int(i > 0), int(whole and i == length - 1))
            for length, whole in pieces(data) for i in range(length)]


def de_bruijn(symbols: bytes, order: int) -> bytes:
    """A string in which every string of ``order`` symbols occurs."""
    count = len(symbols)
    word, found = [0] * (count * order), []

    def extend(t: int, period: int) -> None:
        if t > order:
            if order % period == 0:
                found.extend(word[1 : period + 1])
            return
        word[t] = word[t - period]
        extend(t + 1, period)
        for symbol in range(word[t - period] + 1, count):
            word[t] = symbol
            extend(t + 1, t)

    extend(1, 1)
    return bytes(symbols[i] for i in [*found, *found[: order - 1]])


def judged(
    lane_bench, cut_packets, packets: list[bytes], lanes: int, plan: Plan
) -> list[list[tuple[int, int]]]:
    """The hardware's verdicts on each packet's bytes."""
    bench = lane_bench(lanes, plan)
    joins = judge(classify(bench.data))
    rows = bench.run(cut_packets(packets, lanes), [*joins.joins.values, *joins.complete.beat()])
    results, row = [], iter(rows)
    for packet in packets:
        got: list[tuple[int, int]] = []
        ahead = None
        for _ in range(0, max(1, len(packet)), lanes):
            flags = next(row)
            assert ahead in (None, flags[0]), "the lane after a beat is not judged as the next beat's first"
            ahead = flags[lanes]
            got += zip(flags[:lanes], flags[lanes + 1 :], strict=True)
        results.append(got[: len(packet)])
    return results


def test_every_window_of_four_bytes(lane_bench, cut_packets, representatives) -> None:
    text = de_bruijn(representatives, 4)
    windows = {text[i : i + 4] for i in range(len(text) - 3)}
    assert windows == {bytes(window) for window in product(representatives, repeat=4)}
    assert judged(lane_bench, cut_packets, [text], 8, Plan.FAST) == [verdicts(text)]


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_short_packets_after_each_other(
    lane_bench, cut_packets, mixed_packets, lanes: int, plan: Plan
) -> None:
    packets = mixed_packets(100, lanes)
    found = judged(lane_bench, cut_packets, packets, lanes, plan)
    assert found == [verdicts(packet) for packet in packets]


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


@pytest.mark.parametrize(("lanes", "length"), [(1, 4), (2, 5), (4, 5)])
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
