"""Faults of UTF-8 packets, against the model."""

import re
from itertools import product
from random import Random

import pytest
from runewire_model import ErrorKind, FirstError, validate
from runewire_rtl.encodings.utf8.faults import find_faults
from runewire_rtl.pipeline import Plan


def undecided(representatives: bytes, length: int) -> list[bytes]:
    """Packets up to ``length`` whose first error no shorter beginning determines."""
    packets, front = [], [b""]
    for _ in range(length):
        front = [start + bytes([byte]) for start in front for byte in representatives
                 if validate(start + b"A") is None or validate(start + b"A") != validate(start + b"\x80" * 3)]
        packets += front
    return packets


def first_faults(
    lane_bench, cut_packets, packets: list[bytes], lanes: int, plan: Plan, *, apart: bool = False,
) -> list[FirstError | None]:
    bench = lane_bench(lanes, plan)
    faults = find_faults(bench.data, apart=apart)
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
    assert {(error.kind, error.offset) for error in errors} >= set(product(
        {*ErrorKind} - {ErrorKind.NUL}, range(length - 3)))
    found = first_faults(lane_bench, cut_packets, packets, lanes, Plan.FAST)
    wrong = {packet.hex(" "): (got, validate(packet))
             for packet, got in zip(packets, found, strict=True) if got != validate(packet)}
    assert wrong == {}


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize(("lanes", "apart"), [(1, False), (2, False), (2, True), (8, False)])
def test_first_fault_of_packets_after_each_other(
    lane_bench, cut_packets, mixed_packets, lanes: int, plan: Plan, apart: bool,
) -> None:
    packets = mixed_packets(100, 10 + lanes)
    found = first_faults(lane_bench, cut_packets, packets, lanes, plan, apart=apart)
    assert found == [validate(packet) for packet in packets]


def stretches(packet: bytes) -> list[bytes]:
    """The stretches of a packet, each up to and including an ASCII byte or the packet's end."""
    return re.findall(rb"[\x80-\xFF]*[\x00-\x7F]|[\x80-\xFF]+$", packet)


def sound(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("lanes", [1, 4, pytest.param(8, marks=pytest.mark.slow)])
def test_a_stretch_up_to_an_ascii_byte_has_a_fault_if_it_is_ill_formed(
    lane_bench, cut_packets, representatives, lanes: int,
) -> None:
    """No lead byte affects a verdict beyond the ASCII byte that ends its stretch."""
    picks = Random(lanes)
    leads = (0xC0, 0xC3, 0xE0, 0xE2, 0xED, 0xF0, 0xF1, 0xF4, 0xF5)
    begins = [bytes(begin) for size in range(3) for begin in product(leads, *[(0x80, 0x90, 0xA0)] * size)]
    packets = [begin + end + bytes(picks.choices(representatives + b"A" * 20, k=picks.randrange(6)))
               for begin in begins for end in (b"\n", b" ", b"\x7F") for _ in range(6)]
    bench = lane_bench(lanes, Plan.FAST)
    faults = find_faults(bench.data, apart=True)
    row = iter(bench.run(cut_packets(packets, lanes), faults.any.beat()))
    seen = set()
    for packet in packets:
        flags = [flag for _ in range(0, max(1, len(packet)), lanes) for flag in next(row)]
        for stretch in stretches(packet):
            fault = any(flags[: len(stretch)])
            assert fault is not sound(stretch), (packet.hex(" "), stretch.hex(" "))
            seen.add(fault)
            del flags[: len(stretch)]
    assert seen == {False, True}
