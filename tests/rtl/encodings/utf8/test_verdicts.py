"""Verdicts on bytes in their context, against Unicode's Table 3-7."""

from itertools import product

import pytest
from runewire_rtl.encodings.utf8.classes import classify
from runewire_rtl.encodings.utf8.verdicts import judge
from runewire_rtl.pipeline import Plan

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
