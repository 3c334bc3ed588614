"""Insertion of byte order marks: the beat before a packet, and its units."""

import random

import pytest
from amaranth.hdl import Module, Signal
from runewire_rtl.encodings.base import Units
from runewire_rtl.encodings.bom_insertion import counted, marked, precede
from runewire_rtl.pipeline import BeatFlags, Pipeline, Plan
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.stream_shapes import input_beat


def test_a_beat_goes_before_each_packet(cycles) -> None:
    """The mark enters while the packet's first beat waits, which is taken next; without that beat there is no mark."""
    rng = random.Random(1)
    m = Module()
    clear = Signal()
    packets = input_beat(2, 1).create()
    stream = input_beat(2, 1, marks=True).create()
    precede(m, packets, stream, Restart(Signal(), clear))
    stimuli, wanted = [], []
    begins, offer = 1, None
    for number in range(400):
        if offer is None and number and rng.random() < 0.7:
            offer = (number % 256, int(rng.random() < 0.4))
        data, last = offer or (0, 1)
        ready = int(rng.random() < 0.7)
        stimuli.append([(packets.valid, int(offer is not None)), (packets.payload.data[0], data), (stream.ready, ready),
                        (packets.payload.last, last), (packets.payload.keep, 3), (clear, 0)])
        wanted.append((int(offer is not None), ready & ~begins & 1, begins, last & ~begins & 1, data))
        if offer is not None and ready:
            begins, offer = (0, offer) if begins else (last, None)
    taken = [row for row in wanted if row[0]]
    assert {row[2] for row in taken} == {0, 1}
    found = cycles(m, stimuli, [stream.valid, packets.ready, stream.payload.mark, stream.payload.last,
                                stream.payload.data[0]])
    assert found == wanted


def test_after_a_reset_a_packet_begins(cycles) -> None:
    m = Module()
    clear = Signal()
    packets = input_beat(1, 1).create()
    stream = input_beat(1, 1, marks=True).create()
    precede(m, packets, stream, Restart(Signal(), clear))
    given = [(packets.valid, 1), (stream.ready, 1)]
    stimuli = [[*given, (clear, int(at == 4))] for at in range(8)]
    # The clear is set at first, and comes a cycle late.
    assert [mark for (mark,) in cycles(m, stimuli, [stream.payload.mark])] == [1, 1, 0, 0, 0, 0, 1, 0]


@pytest.mark.parametrize(("mark", "lanes", "own", "first"), [
    ([0xFE], 4, 1, 0), ([0xFE], 2, 2, 1), ([0xEF, 0xBB, 0xBF], 4, 1, 0), ([0xEF, 0xBB, 0xBF], 2, 2, 1),
    ([0xEF, 0xBB, 0xBF], 1, 4, 1), ([0xEF, 0xBB, 0xBF], 1, 1, 1), ([0xEF, 0xBB, 0xBF], 2, 1, 1)])
def test_its_units_end_with_a_lane(cycles, mark: list[int], lanes: int, own: int, first: int) -> None:
    """``own``: places per lane that the text uses, the last ones of those that the mark uses."""
    m = Module()
    valid = Signal()
    flag = Signal()
    present = Signal(4)
    data = Signal(32)
    pipeline = Pipeline(m, Plan.FAST, BeatFlags(valid, 0, flag))
    slots = 4 // lanes
    used = [place for place in range(4) if place % slots >= slots - own]
    there = [pipeline.enter(present[place], f"present{place}") for place in used]
    units = [pipeline.enter(data.word_select(place, 8), f"unit{place}") for place in used]
    assert pipeline.mark is not None
    made = marked(pipeline.mark, Units(there, lambda after: list(units)), mark, lanes, slots)
    assert len(made.present) == len(made.data(0)) == 4
    flags = counted(pipeline.mark, there)
    shown = [value.at(1) for value in (*made.present, *(made.data(0)[place] for place in range(4)
                                                        if place in used or 0 <= place - first < len(mark)), *flags)]
    rng = random.Random(2)
    stimuli, wanted = [], []
    for _ in range(60):
        is_mark = int(rng.random() < 0.5)
        bits, word = 0 if is_mark else rng.getrandbits(4), rng.getrandbits(32)
        stimuli.append([(valid, 1), (flag, is_mark), (present, bits), (data, word)])
        kept = [bits >> place & 1 for place in range(4)]
        row = {place: byte for place, byte in enumerate(word.to_bytes(4, "little")) if place in used}
        here = [int(place in used and kept[place]) for place in range(4)]
        for place, byte in enumerate(mark, first):
            here[place] |= is_mark
            row[place] = byte if is_mark else row.get(place, -1)
        wanted.append((here, row, [is_mark | kept[used[0]], *(kept[place] for place in used[1:])]))
    found = cycles(m, [*stimuli, []], shown)[1:]
    for values, (here, row, counts) in zip(found, wanted, strict=True):
        assert [*values[:4]] == here
        assert [*values[-len(used):]] == counts
        data_there = dict(zip(sorted(row), values[4:-len(used)], strict=True))
        assert all(data_there[place] == byte for place, byte in row.items() if here[place] and byte >= 0)
