"""The cycle model: the closed form against the stepping model, and small hand-written runs."""

import random
from collections import Counter
from struct import pack
from typing import Any

import pytest
from runewire_model import (
    CompactTiming,
    DecoderParameters,
    EncoderParameters,
    ParameterError,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_model.core_cycles import Pauses
from runewire_model.packet_beats import SegmentPacket
from runewire_model.timeline import beats, cycles, most_waits, timeline
from runewire_model.timing import JoinedTiming, Timing

PIPELINES = ("fast", "balanced", "compact")
CORES: list[TranscoderParameters] = [
    *(ValidatorParameters(1 << n, pipeline) for n in range(8) for pipeline in PIPELINES),
    *(DecoderParameters(1 << n, errors, bom, packing, pipeline)
      for n in range(7) for errors, bom in (("replace", "keep"), ("drop", "strip"))
      for packing in ("dense", "sparse") for pipeline in PIPELINES),
    *(EncoderParameters(1 << n, errors, pipeline)
      for n in range(5) for errors in ("replace", "drop") for pipeline in PIPELINES),
]
"""Every width of every core and packing, on every pipeline."""
TABLE: dict[tuple[str, str], tuple[tuple[int, int, int, int], ...]] = {
    ("validator", "fast"): (
        (3, 0, 6, 32), (3, 0, 8, 32), (3, 0, 8, 32), (3, 0, 10, 32), (3, 0, 11, 32), (4, 0, 12, 32), (4, 0, 13, 32),
        (5, 0, 14, 32),
    ),
    ("validator", "balanced"): (
        (3, 0, 1, 32), (3, 0, 2, 32), (3, 0, 2, 32), (3, 0, 3, 32), (3, 0, 4, 32), (4, 0, 4, 32), (4, 0, 5, 32),
        (5, 0, 5, 32),
    ),
    ("decoder, sparse", "fast"): (
        (3, 0, 6, 32), (3, 0, 8, 32), (3, 0, 8, 32), (3, 0, 10, 32), (3, 0, 11, 32), (4, 0, 12, 32), (4, 0, 13, 32),
    ),
    ("decoder, sparse", "balanced"): (
        (3, 0, 1, 32), (3, 0, 2, 32), (3, 0, 2, 32), (3, 0, 3, 32), (3, 0, 4, 32), (4, 0, 4, 32), (4, 0, 5, 32),
    ),
    ("decoder, dense", "fast"): (
        (3, 7, 8, 32), (3, 10, 11, 32), (3, 11, 12, 32), (3, 12, 13, 32), (3, 14, 15, 32), (4, 16, 18, 64),
        (4, 18, 21, 64),
    ),
    ("decoder, dense", "balanced"): (
        (3, 3, 4, 32), (3, 5, 6, 32), (3, 6, 7, 32), (3, 7, 8, 32), (3, 9, 10, 32), (4, 10, 11, 32), (4, 12, 13, 32),
    ),
    ("decoder, dense, drop, strip", "fast"): (
        (3, 9, 10, 32), (3, 12, 13, 32), (3, 13, 14, 32), (3, 14, 15, 32), (3, 16, 17, 32), (4, 18, 20, 64),
        (4, 20, 23, 64),
    ),
    ("decoder, dense, drop, strip", "balanced"): (
        (3, 4, 5, 32), (3, 6, 7, 32), (3, 7, 8, 32), (3, 8, 9, 32), (3, 10, 11, 32), (4, 11, 12, 32), (4, 13, 14, 32),
    ),
    ("encoder", "fast"): (
        (2, 12, 13, 32), (2, 13, 14, 32), (2, 15, 16, 32), (2, 17, 19, 32), (2, 19, 22, 64),
    ),
    ("encoder", "balanced"): (
        (2, 7, 8, 32), (2, 8, 9, 32), (2, 9, 10, 32), (2, 11, 12, 32), (2, 12, 13, 32),
    ),
}
"""Entry, decide, push and depth of the cores of 1, 2, 4, … lanes."""
COMPACT = {
    "validator": (2, 2, 2, 2, 3, 3, 3, 3),
    "decoder, sparse": (2, 2, 2, 2, 3, 3, 3),
    "decoder, dense": (2, 2, 3, 3, 4, 4, 5),
    "decoder, dense, drop, strip": (2, 3, 3, 3, 4, 4, 5),
    "encoder": (3, 3, 4, 4, 5),
}
"""Registers of the compact cores of 1, 2, 4, … lanes, after the lookahead."""


OTHERS = {
    TranscoderParameters("utf-8", "utf-8", 4): Timing(3, 19, 20, 1, 64, True),
    SanitizerParameters(1, "drop"): Timing(5, 10, 11, 1, 32, 3),
    SanitizerParameters(2, "drop"): Timing(4, 13, 14, 1, 32, 2),
    TranscoderParameters("utf-32le", "utf-32le", 4): Timing(2, 8, 9, 1, 32, False),
    TranscoderParameters("utf-32le", None, 4): Timing(2, 0, 7, 0, 32, False),
    TranscoderParameters("utf-32le", "utf-8", 4, bom="strip"): Timing(2, 15, 16, 1, 32, False),
    TranscoderParameters("utf-8", "utf-16", 4, bom="add"): Timing(3, 14, 15, 1, 32, True),
    TranscoderParameters("utf-8", "utf-32le", 4, bom="add", packing="sparse"): Timing(3, 0, 8, 0, 32, True),
    TranscoderParameters("latin-1", "utf-8", 1, bom="add"): Timing(2, 11, 12, 1, 32, False),
}
"""Cores without a name, and their timings."""


def time_of(parameters: TranscoderParameters) -> Any:
    """The timing of one of `CORES` or `OTHERS`."""
    if parameters in OTHERS:
        return OTHERS[parameters]
    kind = parameters.kind
    if not parameters.in_place and parameters.errors == "drop" and parameters.core == "decoder":
        kind += ", drop, strip"
    if parameters.pipeline == "compact":
        return CompactTiming(int(parameters.source == "utf-8"), COMPACT[kind][parameters.lanes.bit_length() - 1])
    entry, decide, push, depth = TABLE[kind, parameters.pipeline][parameters.lanes.bit_length() - 1]
    return Timing(entry, decide, push, late=0 if parameters.in_place else 1, depth=depth,
                  lookahead=parameters.source == "utf-8")


PARTS = ("a", "é", "漢", "😀", "\N{BOM}", "\N{BOM}漢", "plain", "")


def packets(parameters: TranscoderParameters, count: int) -> list[bytes]:
    """Text with damage in packets of no byte up to eight beats; scalars and others for the encoder."""
    rng = random.Random(repr(parameters))
    made = []
    for _ in range(count):
        length = rng.choice((0, 1, parameters.lanes, rng.randrange(8 * parameters.lanes)))
        if parameters.source == "utf-32le":
            words = (rng.choice((0xFEFF, 0x41, 0xE9, 0x6F22, 0x1F600, 0xD800, 0x110000)) for _ in range(length))
            packet = pack(f"<{length}I", *words)
            made.append(packet[: len(packet) - rng.choice((0, 0, 1, 2, 3))] if packet else packet)
        else:
            text = "".join(rng.choices(PARTS, k=length + 1)).encode()[:length]
            made.append(bytes(rng.choice(b"\x80\xE2\xF0\xFF") if rng.random() < 0.03 else octet for octet in text))
    return made


PACKED_TOGETHER = [core for core in CORES
                   if core.pipeline == "compact" and not core.in_place and core.lanes * core.slots > 1]
"""Compact cores that stall for the second row of a packet's last beat."""


@pytest.mark.parametrize("parameters", [core for core in (*CORES, *OTHERS) if core not in PACKED_TOGETHER], ids=repr)
def test_closed_form_and_stepping_agree(parameters: TranscoderParameters) -> None:
    sent = packets(parameters, 40)
    time = time_of(parameters)
    stepped = timeline(parameters, sent, time)
    assert stepped.cycles == cycles(parameters, map(len, sent), time)
    taken = []
    for packet in sent:
        # An added mark takes one cycle before each packet.
        begin = (taken[-1] + 1 if taken else 0) + bool(parameters.mark)
        taken += range(begin, begin + beats(parameters, [len(packet)]))
    assert stepped.input.taken == taken
    assert stepped.output.waits == []
    assert all(packet.last_out - packet.last_in == time.latency for packet in stepped.packets)


@pytest.mark.parametrize("parameters", PACKED_TOGETHER[::3], ids=repr)
def test_a_compact_core_waits_for_a_packets_second_last_row(parameters: TranscoderParameters) -> None:
    sent = packets(parameters, 40)
    time = time_of(parameters)
    stepped = timeline(parameters, sent, time)
    alone = [timeline(parameters, [packet], time).packets[0] for packet in sent]
    # The first of two rows comes when a single one would.
    second = [packet.last_out - packet.last_in - time.latency for packet in alone]
    assert set(second) <= {0, 1}
    assert sum(second) <= most_waits(parameters, map(len, sent))
    assert stepped.cycles == beats(parameters, map(len, sent)) + time.latency + sum(second)
    assert stepped.output.waits == []
    with pytest.raises(ParameterError, match=rf"on their bytes for this {parameters.core}, got only their lengths"):
        cycles(parameters, [9 * parameters.input_bytes], time)


@pytest.mark.parametrize("parameters", CORES[::5], ids=repr)
def test_a_pausing_source_is_never_kept_waiting(parameters: TranscoderParameters) -> None:
    rng = random.Random(1)
    pauses = [rng.random() < 0.6 for _ in range(10_000)]
    time = time_of(parameters)
    stepped = timeline(parameters, packets(parameters, 40), time, source=pauses.__getitem__)
    if parameters in PACKED_TOGETHER:
        # One cycle for a packet's second last row.
        assert max((len(wait) for wait in stepped.input.waits), default=0) <= 1
        return
    assert stepped.input.waits == []
    assert all(packet.last_out - packet.last_in == time.latency for packet in stepped.packets)


@pytest.mark.parametrize("parameters", [core for core in CORES if core.pipeline == "compact"][::3], ids=repr)
def test_a_stalled_compact_core_takes_a_beat_for_each_register(parameters: TranscoderParameters) -> None:
    """One beat for each register, one for lookahead, and one in the skid buffer."""
    scalar = "😀".encode("utf-32le") if parameters.source == "utf-32le" else b"a"
    time = time_of(parameters)
    stepped = timeline(parameters, [scalar * parameters.lanes] * 60, time, sink=lambda cycle: cycle < 40)
    held = time.registers + time.lookahead + 1
    assert stepped.input.taken == [*range(held), *range(41, 101 - held)]
    assert stepped.output.taken == [*range(40, 100)]


@pytest.mark.parametrize("parameters", [core for core in CORES if core.pipeline != "compact"][::5], ids=repr)
def test_a_stalled_core_takes_what_it_can_hold(parameters: TranscoderParameters) -> None:
    """That is the rows of its buffer, and two registers after it; nothing is lost when the sink continues."""
    scalar = "😀".encode("utf-32le") if parameters.source == "utf-32le" else b"a"
    time = time_of(parameters)
    stepped = timeline(parameters, [scalar * parameters.lanes] * 200, time, sink=lambda cycle: cycle < 150)
    held = time.depth + 2
    # Three rows are read from cycle 150 on, and counted as free three cycles after the last read.
    assert stepped.input.taken[held - 1 : held + 1] == [held - 1, 155]
    again = max(150 + held, 155 + time.latency)
    assert stepped.output.taken == [*range(150, 150 + held), *range(again, again + 200 - held)]


def test_no_packets() -> None:
    core = ValidatorParameters()
    assert cycles(core, [], time_of(core)) == 0
    stepped = timeline(core, [], time_of(core))
    assert (stepped.cycles, stepped.bytes_per_cycle, stepped.packets) == (0, 0, [])


@pytest.mark.parametrize(("core", "lengths", "count"), [
    (ValidatorParameters(8), [0], 1),
    (ValidatorParameters(8), [8, 9, 0, 16, 17], 9),
    (EncoderParameters(2), [0, 4, 8, 12, 9, 1], 8),
])
def test_beats_of_packets(core: TranscoderParameters, lengths: list[int], count: int) -> None:
    assert beats(core, lengths) == count


def test_a_run_drawn_by_hand() -> None:
    """A decoder of two lanes, with its balanced pipeline: from a transfer to a packet's last row 17 cycles."""
    sent = [b"a", b"abc", "é".encode() + b"b", b""]
    core = DecoderParameters(2, pipeline="balanced")
    stepped = timeline(core, sent, time_of(core))
    assert stepped.input.taken == [0, 1, 2, 3, 4, 5]
    # "ab" fills its row and so comes a cycle late, like every last row. In the packet "é", "b" only that row comes.
    assert stepped.output.taken == [17, 18, 19, 21, 22]
    assert [packet.last_out for packet in stepped.packets] == [17, 19, 21, 22]
    assert stepped.output.gaps == [range(20, 21)]
    assert stepped.cycles == 23
    assert stepped.bytes_per_cycle == 7 / 23


def test_a_compact_run_drawn_by_hand() -> None:
    """A compact decoder of two lanes: from a transfer to a row 3 cycles. The second last row of "é", "ab" takes one
    more cycle, and the next packet waits."""
    sent = [b"a", "é".encode() + b"ab", b"abc"]
    core = DecoderParameters(2, pipeline="compact")
    stepped = timeline(core, sent, time_of(core))
    # The two beats of the second packet make one item and two.
    assert stepped.input.taken == [0, 1, 2, 3, 4]
    assert stepped.output.taken == [3, 5, 6, 7, 8]
    assert [packet.last_out for packet in stepped.packets] == [3, 6, 8]
    assert stepped.output.gaps == [range(4, 5)]


def test_pauses_show_as_gaps_of_the_source_and_waits_for_the_sink() -> None:
    core = ValidatorParameters(1, "balanced")
    stepped = timeline(core, [1, 1], time_of(core), source=lambda c: c in (1, 2),
                       sink=lambda c: c in (11, 12))
    assert (stepped.input.taken, stepped.input.gaps, stepped.input.waits) == ([0, 3], [range(1, 3)], [])
    assert (stepped.output.offered, stepped.output.taken) == ([11, 14], [13, 14])
    assert (stepped.output.waits, stepped.output.gaps) == ([range(11, 13)], [])


@pytest.mark.parametrize("parameters", [ValidatorParameters(4), DecoderParameters(4, packing="sparse")], ids=repr)
def test_lengths_do_where_no_row_is_packed(parameters: TranscoderParameters) -> None:
    sent = packets(parameters, 50)
    pauses: dict[str, Pauses] = {"source": lambda cycle: cycle % 3 == 0, "sink": lambda cycle: cycle % 5 < 3}
    time = time_of(parameters)
    assert timeline(parameters, map(len, sent), time, **pauses) == timeline(parameters, sent, time, **pauses)


@pytest.mark.parametrize("parameters", [DecoderParameters(4), EncoderParameters(4)], ids=repr)
def test_a_length_does_not_do_where_rows_are_packed(parameters: TranscoderParameters) -> None:
    with pytest.raises(ParameterError, match=rf"a packet for this {parameters.core}, got only a length"):
        timeline(parameters, [8], time_of(parameters))


def test_what_is_left_of_a_scalar_is_a_beats_last_item() -> None:
    """For every scalar and for U+FFFD, which has three bytes in UTF-8 and is what the encoder of one lane sends."""
    core = EncoderParameters(1)
    time = time_of(core)
    whole, broken = "漢a".encode("utf-32le"), "漢".encode("utf-32le") + b"\xFF"
    for packet, rows in ((whole, 1), (broken, 2), (b"\0", 1)):
        stepped = timeline(core, [packet], time)
        assert (len(stepped.input.taken), len(stepped.output.taken)) == (-(-len(packet) // 4), rows)
    dropped = EncoderParameters(1, "drop")
    assert len(timeline(dropped, [broken], time_of(dropped)).output.taken) == 1


def test_a_core_that_does_not_look_ahead_has_a_pause_cost_no_beat() -> None:
    """The beat before a pause enters at once; otherwise it would wait for the beat after it."""
    core = EncoderParameters(1)
    rows = {}
    for lookahead in (False, True):
        time = time_of(core)._replace(lookahead=lookahead)
        sent = ["😀😀😀".encode("utf-32le")]
        rows[lookahead] = timeline(core, sent, time, source=lambda cycle: cycle in range(1, 9)).output.taken
    start, *rest = rows[False]
    assert rows[True] == [start + 8, *rest]


def test_beats_wait_for_as_many_as_the_core_asks_for() -> None:
    """A beat waits for two more of its packet; the last two, and the packet of one beat, wait for none."""
    core = ValidatorParameters(1)
    time = time_of(core)._replace(lookahead=2)
    # Beats come in cycles 0, 1, 2, then 6, then 10, and the packet of one beat in 11.
    paused = (*range(3, 6), *range(7, 10))
    stepped = timeline(core, [5, 1], time, source=lambda cycle: cycle in paused)
    assert stepped.input.taken == [0, 1, 2, 6, 10, 11]
    first = time.latency
    assert stepped.output.offered == [first, 4 + first, *range(8 + first, 12 + first)]


def test_a_gigabyte_in_packets_is_counted_by_length() -> None:
    lengths = [1500] * 500_000 + [64 + n % 1400 for n in range(300_000)]
    core = DecoderParameters(64)
    each = Counter(lengths)
    time = time_of(core)
    assert cycles(core, lengths, time) == sum(-(-n // 64) * times for n, times in each.items()) + time.latency


@pytest.mark.parametrize(("segments", "taken", "rows"), [
    # Three bytes leave no room for three more: an extra beat, in which the input waits. It has no byte, so no row.
    ([(b"abc", False), (b"d", False)], [0, 2], 2), ([(b"a", False), (b"d", False)], [0, 1], 2),
    # The whole segment is carried into the next one, but sends a row.
    ([(b"\xF0", True), (b"\x9F\x98\x80a", False)], [0, 1], 3),
    ([(b"abcd\xE2", True), (b"\x82\xACab", False), (b"", False)], [0, 1, 2, 4], 4),
])
def test_segments_take_extra_beats_and_send_no_empty_ones(
    segments: list[tuple[bytes, bool]], taken: list[int], rows: int) -> None:
    core = ValidatorParameters(4, flows=1)
    stepped = timeline(core, [SegmentPacket(data, 0, more) for data, more in segments], Timing(9, -4, 6, 0, 32, 2))
    assert stepped.input.taken == taken
    assert len(stepped.output.taken) == rows


def test_segments_of_different_flows_are_texts_of_their_own() -> None:
    """Flow 1 does not get the carried bytes of flow 0, and flow 0 gets them in its next segment. A segment's last row
    is empty here, as its last beat is an extra one."""
    core = DecoderParameters(1, flows=2, id=1)
    time = JoinedTiming(Timing(9, 0, 1, 0, 32, 4), Timing(3, 7, 8, 1, 32, 1))
    sent = [SegmentPacket(b"\xE2\x82", 0, True), SegmentPacket(b"a", 1), SegmentPacket(b"\xAC", 0)]
    assert len(timeline(core, sent, time).output.taken) == 1 + 2 + 2
    sent = [SegmentPacket(b"\xE2\x82", 0, True), SegmentPacket(b"a", 0), SegmentPacket(b"\xAC", 0)]
    assert len(timeline(core, sent, time).output.taken) == 1 + 3 + 2


def test_a_byte_line_drawn_by_hand() -> None:
    """The cycles of `runewire_rtl.segments.byte_line`, and three more to the output. A segment's end leaves before the
    bytes that stay for the next one."""
    core = ValidatorParameters(1, "compact", flows=1)
    time = CompactTiming(lookahead=4, registers=3)
    stepped = timeline(core, [SegmentPacket(b"a\xE2\x82", more=True), SegmentPacket(b"\xAC")], time,
                       source=lambda cycle: cycle in (3, 4))
    assert stepped.input.taken == [0, 1, 2, 5]
    # 61 and an end, then E2, 82, AC and an end.
    assert stepped.output.taken == [6, 7, 9, 10, 11, 12]
    assert [packet.last_out for packet in stepped.packets] == [7, 12]


def test_a_segment_without_a_byte_leaves_those_that_wait_in_a_byte_line() -> None:
    core = ValidatorParameters(1, "compact", flows=1)
    sent = [SegmentPacket(b"\xC3", more=True), SegmentPacket(b"", more=True), SegmentPacket(b"\xF5", more=True)]
    stepped = timeline(core, sent, CompactTiming(4, 3))
    # Two ends, C3 and an end. F5 stays.
    assert stepped.output.taken == [6, 8, 9, 10]
