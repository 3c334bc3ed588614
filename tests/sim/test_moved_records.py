"""Records of a text that becomes another one, against CPython's codecs, one record at a time."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from runewire_model import TranscoderParameters
from runewire_model.report import Sidebands
from runewire_sim import Stalls, compare, generated, simulate, verilator
from runewire_sim.segments import Segment
from runewire_sim.stimuli import random_packets

DELIMITER = 0x0A


def core(source: str, target: str, lanes: int, records: int = DELIMITER, **options: Any) -> TranscoderParameters:
    own = {name: options.pop(name) for name in [*options] if name not in Sidebands.NAMES}
    return TranscoderParameters(source, target, lanes, **own, sidebands=Sidebands(records=records, **options))


def packets(made: TranscoderParameters, count: int) -> Iterator[bytes]:
    """Packets with delimiters anywhere, at the end of some; some units are cut off."""
    random, size = Random(made.lanes), made.reads.unit_bytes
    delimiter = made.sidebands.records
    assert delimiter is not None
    for packet in random_packets(made, count, made.lanes, 3 * made.lanes + 12):
        order = made.reads.order_of(packet)
        parts = [packet[at : at + size] for at in range(0, len(packet), size)]
        # The packet's first unit stays: it may be the byte order mark.
        parts = [order.pack([delimiter]) if at and random.random() < 0.25 else part for at, part in enumerate(parts)]
        yield b"".join(parts) + random.choice((b"", b"", order.pack([delimiter])))


def apart(packet: bytes, target: str, errors: str) -> tuple[bytes, bytes, list[bool]]:
    """The output of a packet of UTF-8, its record flags, and the verdict on a last line without delimiter: by CPython's
    codec, each line alone."""
    output, flags, tail = b"", b"", []
    lines = packet.split(b"\n")
    for line in lines[:-1]:
        output += (line + b"\n").decode(errors=errors).encode(target)
        flags += bytes(len(output) - len(flags) - 1) + bytes([3 if is_ill_formed(line) else 1])
    if lines[-1]:
        output += lines[-1].decode(errors=errors).encode(target)
        tail = [is_ill_formed(lines[-1])]
    return output, flags + bytes(len(output) - len(flags)), tail


def is_ill_formed(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return True
    return False


CORES = [core("utf-8", "utf-8", 4), core("utf-8", "utf-16le", 2, errors="drop")]
SLOW = [
    core("utf-8", "utf-32le", 8, record_report=True), core("utf-32le", "utf-8", 4, record_report=True),
    core("utf-8", "utf-8", 1, errors="drop", record_report=True), core("utf-8", "utf-8", 8, replacement=0x0A),
    core("utf-8", "utf-8", 2, errors="drop", pipeline="compact", count=("records", "bad-records")),
    core("utf-8", "utf-16be", 8, bom="add", record_report=True, user=3, id=2),
    core("utf-8", "utf-16le", 4, bom="add", pipeline="compact"), core("utf-16", "utf-8", 1, bom="strip"),
    core("utf-16", "utf-8", 8, record_report=True, report_port="only"),
    core("utf-16", "utf-32", 2, pipeline="balanced"),
    core("utf-32", "utf-16le", 4, bom="add", pipeline="compact", report_port="beside", user=1),
    core("utf-8", "utf-32be", 4, packing="sparse", report="none", records=0), core("utf-32be", "utf-8", 1),
    core("utf-8", "latin-1", 4, record_report=True), core("utf-16", "ascii", 2, errors="drop", record_report=True),
    core("utf-32le", "latin-1", 1, replacement=0x0A, count=("bad-records",)), core("latin-1", "utf-8", 4, records=0x7C),
    core("ascii", "utf-16", 2, record_report=True, bom="add"), core("latin-1", "ascii", 8, record_report=True),
    core("utf-8", "utf-8", 16, replace_runs=True, record_report=True, null_bytes="anywhere"),
    core("utf-8", "utf-16le", 16, family="generic", early=True, record_report=True),
    core("utf-8", "utf-8", 8, split=0x0A, records=0x61, longest=16),
    core("utf-8", "utf-8", 4, reject_nul=True, record_report=True), core("utf-8", "utf-8", 64, replacement=0x3F),
    core("utf-8", "utf-8", 32, record_report=True, pipeline="balanced", replacement=0x3F),
]


@pytest.mark.parametrize("made", [*CORES, *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW)], ids=str)
def test_flags_travel_with_what_their_delimiter_becomes(made: TranscoderParameters) -> None:
    sent = list(packets(made, 1500))
    sent += [b"", made.reads.orders[0].pack([made.sidebands.records or 0]) * made.lanes]
    for stalls in (Stalls(0.2, 0.3, 1, 0.3 * made.holes), Stalls(0, 0, 2, 0.3 * made.holes, records=0.9)):
        with simulate(generated(made), sent, stalls) as run:
            report = compare(made, sent, run)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.records > 1200
        assert not made.reads.wrong or report.bad_records > 200


@pytest.mark.parametrize(("made", "errors"), [
    (core("utf-8", "utf-8", 2, replacement=None, report="none"), "replace"),
    pytest.param(core("utf-8", "utf-16le", 8), "replace", marks=pytest.mark.slow),
    pytest.param(core("utf-8", "utf-8", 8, errors="drop"), "ignore", marks=pytest.mark.slow)], ids=str)
def test_flags_are_those_of_cpython(made: TranscoderParameters, errors: str) -> None:
    sent = list(packets(made, 1500))
    places = 0
    with verilator.run(generated(made), sent, Stalls(0.2, 0.3, 5)) as run:
        for packet, chunk in zip(sent, run, strict=True):
            assert chunk.end is not None
            found = chunk.output, chunk.marks, chunk.end.tail_records(made.sidebands)
            assert found == apart(packet, made.writes.name, errors), packet.hex()
            places += sum(map(bool, chunk.marks))
    assert run.protocol_errors == []
    assert places > 1000


def test_a_lead_byte_of_the_record_before_moves_no_offset() -> None:
    """F1 is three lanes before 9F, where a sequence of four bytes would begin."""
    made = core("utf-8", "latin-1", 4, record_report=True)
    sent = [bytes.fromhex("F1 0A DF 9F 0A"), bytes.fromhex("41 F1 0A DF 9F")] * 5
    with simulate(generated(made), sent, simulator="amaranth") as run:
        report = compare(made, sent, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.bad_records == 20


def test_a_record_report_counts_no_added_mark_as_a_packet() -> None:
    made = core("ascii", "utf-16", 1, record_report=True, bom="add")
    sent = [b"a\n\xFF\n", b"\xFF", b"\n", b"\xFFa\n\x80"] * 10
    with simulate(generated(made), sent, Stalls(0.2, 0.3, 4), simulator="amaranth") as run:
        report = compare(made, sent, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert report.bad_records == 40


def test_an_empty_last_beat_has_the_flags_of_the_record_before_it() -> None:
    made = core("utf-8", "utf-8", 2, packing="sparse", replacement=0x3F, null_bytes="anywhere")
    sent = [b"ab\xFF", b"a\n\xFF\xFF", b"ab\n", b"abc"] * 20
    with simulate(generated(made), sent, Stalls(0, 0, 4, holes=0.5), simulator="amaranth") as run:
        report = compare(made, sent, run)
    assert report.agree, (report.first_difference, report.protocol_errors)
    assert (report.records, report.bad_records) == (100, 40)


def segments(made: TranscoderParameters, count: int) -> Iterator[Segment]:
    """Texts cut anywhere, in three flows; which texts continue is random. An empty segment follows some."""
    random, flows = Random(count), made.sidebands.flows
    assert flows is not None
    some = [random.randrange(flows) for _ in range(3)]
    for text in packets(made, count):
        pieces = []
        while text:
            size = random.choice((0, 1, 1, 2, 3, made.input_bytes, made.input_bytes + 1, len(text)))
            pieces.append(text[:size])
            text = text[size:]
        for piece in [*pieces, *[b""] * (random.random() < 0.3)]:
            yield Segment(piece, random.choice(some), random.random() < 0.7)


OF_FLOWS = [core("utf-8", None, 2, flows=8, id=5)]
MORE_FLOWS = [
    *(core("utf-8", None, lanes, flows=1) for lanes in (1, 8, 64)), core("utf-8", None, 8, flows=256, id=8),
    core("utf-8", None, 4, flows=2, id=1, user=2, report_port="only"), core("utf-16", None, 2, flows=2, id=1),
    core("utf-8", None, 1, flows=1, pipeline="compact"), core("utf-8", None, 2, flows=8, id=3, pipeline="compact"),
    core("utf-8", None, 4, flows=4, id=2, null_bytes="anywhere", report="none"), core("utf-32le", None, 1, flows=1),
    core("utf-8", "utf-8", 2, flows=2, id=2), core("utf-8", "utf-16le", 4, flows=1, bom="strip"),
    core("utf-8", "utf-8", 4, errors="drop", flows=2, id=1), core("utf-16", "utf-8", 2, flows=4, id=2),
    core("utf-8", "utf-32le", 4, flows=1, packing="sparse"), core("utf-8", "latin-1", 2, flows=2, id=1),
]


@pytest.mark.parametrize("made", [*OF_FLOWS, *(pytest.param(each, marks=pytest.mark.slow) for each in MORE_FLOWS)],
                         ids=str)
def test_a_record_goes_on_over_the_segments_of_its_flow(made: TranscoderParameters) -> None:
    sent = list(segments(made, 300))
    for stalls in (Stalls(0.2, 0.3, 1, 0.3 * made.holes), Stalls(0, 0, 2, 0.3 * made.holes)):
        with simulate(generated(made), sent, stalls) as run:
            report = compare(made, sent, run)
        assert report.agree, (report.first_difference, report.protocol_errors)
        assert report.bad_records > 100
