"""Rows and turns that each beat ends, for every width: against counting byte by byte."""

from random import Random

import pytest
from runewire_model import DecoderParameters, TranscoderParameters, ValidatorParameters, parameters
from runewire_model.flow import Flow
from runewire_model.packet_beats import _bad_ends, carry_lookahead, packet_beats, segment_beats, turns
from runewire_model.report import Sidebands

WIDTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256]


def texts(lanes: int) -> list[bytes]:
    """Packets of up to five beats, with characters of one and of three bytes, errors, and records of any length."""
    random = Random(lanes)
    sizes = [*range(4), lanes - 1, lanes, lanes + 1, 2 * lanes, *(random.randrange(5 * lanes) for _ in range(20))]
    parts = [b"a", b"\xE2\x82\xAC", b"\xFF", b"\n"]
    mixed = [b"".join(random.choices(parts, [6, 1, 1, rate], k=size))[:size] for size in sizes for rate in (0, 0.5, 5)]
    return [*(b"a" * size for size in sizes), *mixed]


@pytest.mark.parametrize("lanes", WIDTHS[:-2])
def test_a_dense_row_ends_with_the_beat_of_its_last_item(lanes: int) -> None:
    core = DecoderParameters(lanes)
    for packet in texts(lanes):
        ends = core.reads.ends(packet)
        rows, items = [], 0
        starts = range(0, max(1, len(packet)), lanes)
        for start in starts:
            before, items = items // lanes, items + sum(ends[start : start + lanes])
            # A packet's last row is its last beat's, full or not.
            rows.append(items // lanes - before if start < starts[-1] else max(1, -(-items // lanes)) - before)
        assert [len(beat.rows) for beat in packet_beats(core, packet)] == rows


@pytest.mark.parametrize("delimiter", ["keep", "drop"])
@pytest.mark.parametrize("lanes", WIDTHS[:-1])
def test_a_splitters_row_has_the_turn_of_the_byte_that_tells_its_end(lanes: int, delimiter: str) -> None:
    """With delimiters dropped, a full row may be its record's last: the next byte tells."""
    core = parameters("splitter", lanes=lanes, delimiter=delimiter, longest=2 * lanes)
    for packet in texts(lanes):
        beats = max(1, -(-len(packet) // lanes))
        ended, size = [0] * beats, 0
        for at, octet in enumerate(packet):
            delimits, last = octet == 0x0A, at == len(packet) - 1
            if delimiter == "drop" and size == lanes and not delimits:
                ended[at // lanes] += 1
                size = 0
            size += delimiter == "keep" or not delimits
            if delimits or last or (delimiter == "keep" and size == lanes):
                ended[at // lanes] += 1
                size = 0
        found, number = [0] * beats, 0
        for turn in turns(core, packet, beats):
            found[number] += len(turn.rows)
            number += turn.leaves
        assert found == ended, packet


REPORT = Sidebands(records=0x0A, record_report=True)


@pytest.mark.parametrize("core", [
    *(TranscoderParameters("utf-8", None, lanes, sidebands=REPORT) for lanes in WIDTHS),
    *(TranscoderParameters("utf-8", "utf-16le", lanes, bom="add", sidebands=REPORT) for lanes in WIDTHS[:2])], ids=str)
def test_an_ill_formed_record_ends_in_the_beat_of_its_last_byte(core: TranscoderParameters) -> None:
    """The beat of an added mark is before the packet's."""
    lanes = core.lanes
    for packet in texts(lanes):
        found, start = [], 0
        for at, octet in enumerate(packet, 1):
            if octet == 0x0A or at == len(packet):
                if core.reads.first_error(packet[start:at]) is not None:
                    found.append((at - 1) // lanes + core.mark_beats)
                start = at
        assert [*_bad_ends(core, packet)] == found


def test_a_mark_is_added_to_a_texts_first_segment_alone() -> None:
    """One row with the mark, if each unit stays in its lane, and a row of the segment."""
    core = TranscoderParameters("utf-8", "utf-32le", 4, packing="sparse", bom="add", sidebands=Sidebands(flows=1))
    flow = Flow(core)
    for text, more, rows in ((b"ab", True, 2), (b"cd", True, 1), (b"", False, 1), (b"e", False, 2)):
        flow.segment(text, more)
        beats = segment_beats(core, len(text), flow.answered)[-1]
        assert sum(len(beat.rows) for beat in beats) == rows, text


@pytest.mark.parametrize(("lanes", "beats"), [(1, 4), (2, 2), (4, 1), (8, 1)])
def test_a_segments_beat_waits_for_as_many_as_four_bytes_take(lanes: int, beats: int) -> None:
    assert carry_lookahead(ValidatorParameters(lanes, flows=2, id=1)) == beats
