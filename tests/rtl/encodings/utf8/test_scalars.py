"""Scalars, assembled at their last byte: which lanes have one, and its value."""

import pytest
from runewire_model import decode
from runewire_rtl.encodings.utf8.classes import classify
from runewire_rtl.encodings.utf8.scalars import assemble, byte_order_mark, emissions
from runewire_rtl.encodings.utf8.verdicts import judge
from runewire_rtl.pipeline import Plan

BOUNDARIES = [0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF]
ONE_BIT = [1 << bit for bit in range(21)]
SCALARS = [*BOUNDARIES, *ONE_BIT, *(0x0F_FFFF & ~bit for bit in ONE_BIT)]
WHOLE = [b"".join(chr(scalar).encode() for scalar in SCALARS if not 0xD800 <= scalar < 0xE000)]
MARK = b"\xEF\xBB\xBF"
MARKS = [
    MARK, MARK + b"A", MARK * 2, b"A" + MARK, MARK[:2], MARK[:1] + MARK, b"\xEF\xBB\xBE", b"\xEE\xBB\xBF",
    b"\xEF\xBA\xBF", b"", MARK, b"\xEF", b"\xBB\xBF", b"\0" + MARK, MARK[1:] + MARK, b"\xFF\xFE",
]


def decoded(
    lane_bench, cut_packets, packets: list[bytes], lanes: int, plan: Plan, *,
    drop: bool = False, strip: bool = False, after: int = 0,
) -> list[list[tuple[int, int]]]:
    """For each packet the positions with a scalar, and the scalars."""
    bench = lane_bench(lanes, plan)
    classes = classify(bench.data)
    joins = judge(classes)
    present = emissions(joins, bench.keep, byte_order_mark(classes) if strip else None, drop=drop)
    rows = iter(bench.run(cut_packets(packets, lanes), [*present.beat(), *assemble(classes, joins, after).beat()]))
    found = []
    for packet in packets:
        out = []
        for start in range(0, max(1, len(packet)), lanes):
            row = next(rows)
            out += [(start + lane, row[lanes + lane]) for lane in range(lanes) if row[lane]]
        found.append(out)
    return found


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("lanes", [1, 2, 4, pytest.param(8, marks=pytest.mark.slow)])
def test_scalars_of_whole_and_damaged_packets(
    lane_bench, cut_packets, mixed_packets, lanes: int, plan: Plan, drop: bool
) -> None:
    packets = [*mixed_packets(120, 20 + lanes), *WHOLE]
    found = decoded(lane_bench, cut_packets, packets, lanes, plan, drop=drop)
    assert [[scalar for _, scalar in out] for out in found] == [
        decode(packet, errors="drop" if drop else "replace") for packet in packets
    ]


@pytest.mark.parametrize("after", [0, 20])
@pytest.mark.parametrize("lanes", [1, 4])
def test_a_scalar_stands_in_the_lane_of_its_last_byte(lane_bench, cut_packets, lanes: int, after: int) -> None:
    [found] = decoded(lane_bench, cut_packets, WHOLE, lanes, Plan.FAST, after=after)
    end, want = 0, []
    for scalar in decode(WHOLE[0]):
        end += len(chr(scalar).encode())
        want.append((end - 1, scalar))
    assert found == want


@pytest.mark.parametrize("strip", [False, True])
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_a_byte_order_mark_goes_at_the_start_of_a_packet_only(
    lane_bench, cut_packets, lanes: int, strip: bool
) -> None:
    found = decoded(lane_bench, cut_packets, MARKS, lanes, Plan.FAST, strip=strip)
    assert [[scalar for _, scalar in out] for out in found] == [
        decode(packet, bom="strip" if strip else "keep") for packet in MARKS
    ]
