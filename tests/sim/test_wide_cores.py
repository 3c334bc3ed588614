"""Whole cores, most of 16 lanes, with several options together, in Amaranth's simulator, which needs no build.

Other quick tests of whole cores have four lanes at most, and few options at a time.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from runewire_model import TranscoderParameters, parameters
from runewire_model.encodings import BYTES, ENCODINGS
from runewire_model.report import Sidebands
from runewire_sim import Stalls, VerilogDesign, compare, simulate
from runewire_sim.segments import Segment
from runewire_sim.stalls import Pauses
from runewire_sim.stimuli import random_packets

STALLS = Stalls(0.2, 0.2, 1)
FULL = 130
"""Cycles in which the rows of a filter fill its buffers."""
TEXT = ENCODINGS["utf-8"]


class WaitAtFirst(Pauses):
    """Pauses in the first cycles alone."""

    def at(self, cycle: int) -> bool:
        return cycle < FULL


class Filling(Stalls):
    """The sinks wait until all buffers are full."""

    @property
    def sink_pauses(self) -> Pauses:
        return WaitAtFirst(0, 0)

    @property
    def rejects_pauses(self) -> Pauses:
        return WaitAtFirst(0, 0)


def core(source: str, target: str | None, lanes: int, ports: dict[str, Any] | None = None,
         **options: Any) -> TranscoderParameters:
    return TranscoderParameters(source, target, lanes, **options, sidebands=Sidebands(**ports or {}))


CORES = {
    "record report, user": core("utf-8", None, 16, {"records": 0x0A, "record_report": True, "user": 2}),
    "compact, records, counters, early, user": core("utf-8", None, 16, {
        "records": 0x0A, "count": ("replacements", "bad-records"), "user": 2, "early": True}, pipeline="compact"),
    "sparse, strip, counters, report port, tags": core(
        "utf-8", "utf-32le", 16, {"count": ("code-points",), "report_port": "beside", "id": 2, "dest": 3},
        bom="strip", packing="sparse"),
    "compact, dense, drop, no nul": core("utf-8", "utf-32le", 16, pipeline="compact", errors="drop", reject_nul=True),
    "dense, add, records, counters": core("utf-8", "utf-16be", 4, {"records": 0x0A, "count": ("utf16-units",)},
                                          bom="add"),
    "compact, fused, drop, strip": core("utf-8", "utf-16le", 16, pipeline="compact", errors="drop", bom="strip"),
    "compact, fused, drop, no nul, byte order": core("utf-16", "utf-8", 8, pipeline="compact", errors="drop",
                                                     reject_nul=True),
    "sparse, drop, add, records": core("utf-8", "utf-8", 16, {"records": 0x0A}, errors="drop", bom="add",
                                       packing="sparse"),
    "sparse, runs, replacement": core("utf-8", "utf-8", 16, replacement=0x3F, replace_runs=True, packing="sparse"),
    "compact, big-endian, null bytes, records": core("utf-16be", None, 8, {
        "null_bytes": "anywhere", "records": 0x0A, "count": ("ascii",)}, pipeline="compact"),
    "byte order, kind, records": core("utf-32", None, 8, {"report": "kind", "records": 0x0A}),
    "flows, early, records": core("utf-8", None, 16, {"flows": 4, "id": 2, "early": True, "records": 0x0A}),
    "flows, byte order, strip": core("utf-16", "utf-32le", 8, {"flows": 2, "id": 1}, bom="strip", packing="sparse"),
    "32 lanes, flag, records": core("utf-8", None, 32, {"records": 0x0A, "report": "flag"}),
    "splitter, drop, longest, user": parameters("splitter", lanes=16, delimiter="drop", longest=32, user=1),
    "filter, rejects, user": parameters("filter", lanes=16, longest=64, rejects=True, user=3),
    "filter, rejects, id, 32 rows": parameters("filter", lanes=4, longest=128, rejects=True, id=2, dest=1),
    "compact, sparse": core("utf-8", "utf-32le", 16, pipeline="compact", packing="sparse"),
    "UTF-32, counters, records": core("utf-32be", None, 8, {
        "records": 0x0A, "count": ("bytes", "ascii", "utf16-units")}),
    "compact, UTF-32, records, no nul": core("utf-32le", "utf-16le", 4, {"records": 0x0A}, pipeline="compact",
                                             reject_nul=True),
    "UTF-16, no nul, drop, counter": core("utf-16be", "utf-32le", 16, {"count": ("ascii", "utf16-units")},
                                          packing="sparse", errors="drop", reject_nul=True),
    "to Latin-1": core("utf-8", "latin-1", 16, packing="sparse"),
    "to Latin-1, record report": core("utf-8", "latin-1", 4, {"records": 0x0A, "record_report": True}),
    "ASCII, no nul, drop": core("ascii", "latin-1", 32, {"count": ("ascii",)}, errors="drop", reject_nul=True,
                                packing="sparse"),
    "from Latin-1, no nul, drop": core("latin-1", "ascii", 4, errors="drop", reject_nul=True),
    "packer of 32": parameters("packer", lanes=32, user=1),
    "compact, 32 lanes": core("utf-8", None, 32, pipeline="compact"),
    "flows, 32 bytes, early flag": core("utf-16le", None, 16, {"flows": 2, "id": 1, "report": "flag", "early": True}),
    "flows, runs, strip": core("utf-8", "utf-8", 16, {"flows": 2, "id": 1}, replacement=0x3F, replace_runs=True,
                               bom="strip", packing="sparse"),
    "flows, UTF-16, strip": core("utf-8", "utf-16le", 4, {"flows": 2, "id": 1}, bom="strip"),
    "flows, UTF-32, strip": core("utf-32le", "utf-16le", 2, {"flows": 2, "id": 1}, bom="strip"),
    "byte line, user, strip": core("utf-8", "utf-8", 1, {"flows": 1, "user": 2}, bom="strip", pipeline="compact",
                                   errors="drop"),
    "2 lanes, add, drop": core("utf-8", "utf-8", 2, bom="add", errors="drop"),
    "flows, record report, 1 lane": core("utf-8", None, 1, {
        "flows": 2, "id": 1, "records": 0x0A, "record_report": True}),
}


def delimiter_of(core: TranscoderParameters) -> int | None:
    side = core.sidebands
    return next((each for each in (side.split, side.filter, side.records) if each is not None), None)


def units_of(core: TranscoderParameters, scalar: int) -> list[int]:
    """A character in the core's encoding; for a core that takes any bytes, in UTF-8."""
    encoding = TEXT if core.reads is BYTES else core.reads.orders[0]
    return encoding.unpack(encoding.encode([scalar]))


def fitting(core: TranscoderParameters, *scalars: int) -> list[int]:
    """The scalars that the core's encoding has."""
    return [scalar for scalar in scalars if scalar <= core.reads.greatest or core.reads is BYTES]


def text(core: TranscoderParameters, size: int, random: Random) -> list[int]:
    """So many units of well-formed text, with delimiters."""
    delimiter = delimiter_of(core)
    letters = [0x41] if delimiter is None else [0x41, 0x61, 0x62, delimiter]
    found: list[int] = []
    while len(found) < size:
        character = units_of(core, random.choice((*letters, *fitting(core, 0xE9, 0x20AC, 0x1F600))))
        found += character if len(character) <= size - len(found) else [0x41]
    return found


def every_part_in_every_lane(core: TranscoderParameters) -> bytes:
    """A packet in which each ill-formed sequence and some characters end in each lane. A delimiter is after each."""
    encoding, delimiter, lanes = core.reads.orders[0], delimiter_of(core), core.lanes
    parts = [encoding.unpack(sequence) for sequence in encoding.wrong or TEXT.wrong]
    parts += [units_of(core, scalar) for scalar in fitting(core, 0x20AC, 0x1F600, 0xFEFF, 0)]
    left = [(part, lane) for part in parts for lane in range(lanes)]
    Random(1).shuffle(left)
    units: list[int] = []
    while left:
        gaps = [(lane + 1 - len(part) - len(units)) % lanes for part, lane in left]
        part, _ = left.pop(gaps.index(min(gaps)))
        units += [0x41] * min(gaps) + part + ([] if delimiter is None else [delimiter])
    return encoding.pack(units)


def near_characters(core: TranscoderParameters) -> bytes:
    """A packet of characters that differ in one bit from A, a delimiter or U+0000."""
    plain = [0x41, delimiter_of(core) or 0x0A, 0]
    scalars = fitting(core, *(each ^ 1 << bit for bit in range(7, 21) for each in plain))
    return core.reads.orders[0].pack([unit for scalar in scalars for unit in units_of(core, scalar)])


def first_error_in_every_lane(core: TranscoderParameters, random: Random) -> Iterator[bytes]:
    """Packets of two beats or more, with an ill-formed sequence that ends in a chosen lane of the second one: in every
    lane of 16, in the lanes about powers of two of more."""
    encoding, lanes = core.reads.orders[0], core.lanes
    edges = {at for bit in range(lanes.bit_length()) for at in (1 << bit, (1 << bit) - 1, lanes - (1 << bit))}
    for place in range(lanes) if lanes <= 16 else sorted(at for at in edges if 0 <= at < lanes):
        part = encoding.unpack(random.choice(encoding.wrong or TEXT.wrong))
        behind = random.choice((0, 0, 1, lanes - place - 1, lanes))
        units = text(core, lanes + place + 1 - len(part), random) + part + text(core, behind, random)
        if core.bom != "keep" and random.random() < 0.3:
            units = [*units_of(core, 0xFEFF), *units]
        yield encoding.pack(units)


def ends_in_every_lane(core: TranscoderParameters, random: Random) -> Iterator[bytes]:
    """Packets of one beat or two that end with a delimiter in each lane, behind another character. Where a mark tells
    the byte order, they are little-endian."""
    lanes, delimiter, order = core.lanes, delimiter_of(core), core.reads.orders[-1]
    for place in range(lanes) if lanes <= 16 else (lanes - 2, lanes - 1):
        size = place + random.choice((0, lanes))
        mark = [0xFEFF] if core.reads.orders[1:] and size else []
        units = [*mark, *text(core, size, random)[len(mark) : -1], *[0x41] * (size > len(mark)), delimiter or 0]
        yield order.pack(units)


def long_records(core: TranscoderParameters) -> Iterator[bytes]:
    """Packets whose record is as long as a beat less than the longest, or longer by some bytes, with others around."""
    longest, lanes = core.sidebands.longest or 0, core.lanes
    for size in (longest - lanes, longest, longest + 1, 2 * longest + lanes):
        yield b"ab" + bytes([delimiter_of(core) or 0]) + b"c" * (size - 1) + bytes([delimiter_of(core) or 0]) + b"d"


def packets_of(core: TranscoderParameters) -> list[bytes]:
    random = Random(str(core))
    packets = [*random_packets(core, 16 if core.filters else 8, 1, 2 * core.lanes), near_characters(core)]
    if not core.splits:
        packets += first_error_in_every_lane(core, random)
    if core.target is not None or delimiter_of(core) is not None:
        packets.append(every_part_in_every_lane(core))
    # The last unit lacks some of its bytes.
    units = core.reads.orders[0].pack([*[0x41] * (2 * core.lanes - 1), 0])
    packets += [units[:-cut] for cut in range(1, core.reads.unit_bytes)]
    if delimiter_of(core) is not None:
        packets += ends_in_every_lane(core, random)
    if core.sidebands.longest is not None:
        packets += long_records(core)
    flows = core.sidebands.flows
    if flows is None:
        return packets
    pieces = []
    for packet in packets:
        cuts = sorted({0, *(random.randrange(len(packet) + 1) for _ in range(1 + len(packet) // 30))})
        pieces += [Segment(packet[begin:end], random.randrange(flows), random.random() < 0.6)
                   for begin, end in zip(cuts, [*cuts[1:], len(packet)], strict=True)]
    if delimiter_of(core) is not None:
        # The text's last segment has no byte, so a record has ended before it.
        pieces += [Segment(b"", 0), *(piece for packet in ends_in_every_lane(core, random)
                                      for piece in (Segment(packet, 0, more=True), Segment(b"", 0)))]
    # A byte order mark within a text, where another segment begins; three bytes before a segment of full beats.
    plain, mark, long = (core.reads.orders[0].encode([scalar]) for scalar in (0x41, 0xFEFF, 0x1F600))
    full = long[3:] + plain * (core.lanes + 3)
    return [*pieces, *(Segment(b"", flow) for flow in range(flows)), Segment(plain, 0, more=True),
            Segment(b"", 0, more=True), Segment(mark + plain, 0, more=True), Segment(mark, 0),
            Segment(long[:3], 0, more=True), Segment(full[: core.input_bytes], 0, more=True), Segment(plain, 0)]


@pytest.mark.parametrize("name", CORES)
def test_wide_cores_agree_with_the_golden_model(name: str) -> None:
    core = CORES[name]
    packets = packets_of(core)
    stalls = Filling() if core.filters else replace(STALLS, holes=0.2 if core.holes else 0.0)
    with simulate(VerilogDesign(core, "", Path()), packets, stalls, simulator="amaranth") as run:
        report = compare(core, packets, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
