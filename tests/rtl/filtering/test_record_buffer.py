"""The record buffer: each row to one output, in order; counters that saturate, and begin at zero after a reset."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.sim import Simulator
from runewire_model.report import Sidebands
from runewire_rtl import stream_shapes
from runewire_rtl.filtering import record_buffer
from runewire_rtl.filtering.record_buffer import RecordBuffer
from runewire_rtl.pipeline.restart import Restart

LONGEST = 4
SIDEBANDS = Sidebands("none", filter=0x0A, longest=LONGEST, rejects=True)
CLEAR = 12
"""Cycles of a reset."""
SENT = 5
"""Cycles from the one in which a row leaves the store to its first at the output, both included."""


class Record(NamedTuple):
    """A record of bytes, a row each: whether it has an error, and whether its packet ends with it."""

    data: bytes
    error: bool
    ends: bool = False

    @property
    def stays(self) -> bool:
        return not self.error and len(self.data) <= LONGEST


class Came(NamedTuple):
    """Rows of both outputs: bytes and kept ones with their ends, and the fields of an end."""

    good: list[tuple[bytes, int]]
    rejects: list[tuple[bytes, int, bool]]


def expected(records: Sequence[Record]) -> Came:
    """The packets of good records with their number of rejected ones, and rejected records with number and length."""
    came = Came([], [])
    packet, number, rejected = b"", 0, 0
    for record in records:
        if record.stays:
            packet += record.data
        else:
            came.rejects.append((record.data, number, len(record.data) > LONGEST))
        number, rejected = number + 1, rejected + (not record.stays)
        if record.ends:
            came.good.append((packet, rejected))
            packet, number, rejected = b"", 0, 0
    return came


def through(first: Sequence[Record], records: Sequence[Record], pauses: tuple[float, float, float],
            blocked: int = 0, lanes: int = 1) -> Came:
    """What comes out of a buffer that ``first`` went into before a reset, then ``records``.

    ``pauses``: the part of all cycles in which the source and the rejects wait, and in between the packer has no room.
    A good row comes only if there was room when it left the store. ``blocked``: further cycles at the beginning in
    which no reject is taken. ``lanes``: of a row, which has its byte in the first one.
    """
    sidebands = replace(SIDEBANDS, longest=LONGEST * lanes)
    rows = stream_shapes.output_beat(lanes, 8, Sidebands("full", user=3)).create()
    good = stream_shapes.input_beat(lanes, 1, Sidebands("none", user=record_buffer.COUNT_WIDTH)).create()
    rejects = stream_shapes.reject_beat(lanes, sidebands).create()
    clear = Signal()
    room = Signal()
    m = Module()
    m.submodules.buffer = RecordBuffer(rows, good, room, rejects, sidebands, Restart(Const(0), clear), Const(1))
    random = Random(43)
    came = Came([], [])
    beats = [(byte, record, index == len(record.data) - 1) for record in records
             for index, byte in enumerate(record.data)]

    async def send(context: Any, record: Record, byte: int, last: bool) -> None:
        payload = rows.payload
        for signal, value in ((rows.valid, 1), (payload.data[0], byte), (payload.keep, 1), (payload.last, last),
                              (payload.report.error, last and record.error),
                              (payload.report.user, last and record.ends and 2)):
            context.set(signal, value)
        await context.tick().until(rows.ready)
        context.set(rows.valid, 0)

    async def source(context: Any) -> None:
        for record in first:
            for index, byte in enumerate(record.data):
                await send(context, record, byte, index == len(record.data) - 1)
        context.set(clear, 1)
        await context.tick().repeat(CLEAR)
        context.set(clear, 0)
        await context.tick().repeat(CLEAR)
        for byte, record, last in beats:
            while random.random() < pauses[0]:
                await context.tick()
            await send(context, record, byte, last)

    async def sinks(context: Any) -> None:
        cycle, packet, record, idle = 0, b"", b"", 0
        seen = [False] * SENT
        cleared = False
        while idle < 200:
            cleared |= bool(context.get(clear))
            seen = [*seen[1:], bool(cleared and random.random() >= pauses[1])]
            context.set(room, seen[-1])
            context.set(rejects.ready, cleared and cycle >= blocked and random.random() >= pauses[2])
            idle = idle + 1 if cycle >= blocked and cleared and not context.get(Cat(good.valid, rejects.valid)) else 0
            if context.get(good.valid & cleared):
                assert seen[0], f"cycle {cycle}: a row without room"
                packet += bytes([context.get(good.payload.data[0])]) * context.get(good.payload.keep)
                if context.get(good.payload.last):
                    came.good.append((packet, context.get(good.payload.user)))
                    packet = b""
            if context.get(rejects.valid & rejects.ready):
                record += bytes([context.get(rejects.payload.data[0])])
                if context.get(rejects.payload.last):
                    report = rejects.payload.report
                    came.rejects.append((record, context.get(report.record), bool(context.get(report.long))))
                    record = b""
            cycle += 1
            await context.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(source, background=True)
    simulator.add_testbench(sinks)
    simulator.run()
    return came


def random_records(count: int, seed: int) -> list[Record]:
    random = Random(seed)
    return [*(Record(random.randbytes(random.choice([1, 1, 2, LONGEST - 1, LONGEST, LONGEST + 1, 3 * LONGEST])),
                     random.random() < 0.4, random.random() < 0.2) for _ in range(count)), Record(b"\n", False, True)]


@pytest.mark.parametrize("pauses", [(0, 0, 0), (0, 0.6, 0), (0, 0, 0.8), (0.7, 0.1, 0.1), (0, 0.5, 0.5)], ids=str)
def test_each_row_reaches_one_output_in_order(pauses: tuple[float, float, float]) -> None:
    records = random_records(120, 7)
    assert through([], records, pauses) == expected(records)


@pytest.mark.parametrize("lanes", [8, 32])
def test_a_record_of_more_rows_than_the_longest_has_is_rejected_at_any_width(lanes: int) -> None:
    records = [Record(bytes(size), False, True) for size in (LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 2, 1)]
    assert through([], records, (0, 0, 0), lanes=lanes) == expected(records)


def test_counters_begin_at_zero_after_a_reset() -> None:
    """A packet with rejected records is under way when the reset comes: the next packet does not count them."""
    before = [Record(b"a\n", False), *[Record(b"\xFF\n", True)] * 3]
    after = [Record(b"b\n", False), Record(b"\xFE\n", True), Record(b"c\n", False, True)]
    assert through(before, after, (0, 0, 0)) == Came([(b"b\nc\n", 1)], [(b"\xFE\n", 1, False)])


def test_rejects_wait_in_the_buffer_while_no_reject_is_taken() -> None:
    """More rejected rows than the queue of the rejects has: none is lost, and no good row overtakes."""
    records = [*[Record(bytes([number]), True) for number in range(200)], Record(b"a\n", False, True)]
    assert through([], records, (0, 0, 0), blocked=300) == expected(records)


def test_the_packets_wait_in_the_buffer_while_no_packet_is_taken() -> None:
    records = [*[Record(bytes([number]), number % 3 == 0) for number in range(200)], Record(b"a\n", False, True)]
    assert through([], records, (0, 0.97, 0)) == expected(records)


def test_a_counter_stays_at_all_ones() -> None:
    m = Module()
    up = Signal()
    restart = Signal()
    random = Random(43)
    buffer: Any = SimpleNamespace(restart=Restart.never(), count_width=3)
    value, after = RecordBuffer._count(buffer, m, "count", up, restart)

    async def bench(context: Any) -> None:
        count = 0
        reached = set()
        for _ in range(3000):
            ups, ends = random.random() < 0.9, random.random() < 0.08
            context.set(up, ups)
            context.set(restart, ends)
            assert context.get(value) == min(count, 7)
            assert context.get(after) == min(count + ups, 7)
            reached.add(count)
            count = 0 if ends else count + ups
            await context.tick()
        assert max(reached) > 8

    simulator = Simulator(m)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
