"""Rows of items, in place or without gaps, against a list; one beat per cycle, whatever packets follow."""

import random
from dataclasses import dataclass

import pytest
from amaranth.hdl import Cat, Const, Module, Mux
from runewire_model.report import Sidebands
from runewire_rtl.input.input_stage import InputPort, accept
from runewire_rtl.packing.packing import in_place, pack
from runewire_rtl.pipeline import Plan
from runewire_rtl.pipeline.restart import Restart
from runewire_rtl.stream_shapes import end_layout, input_beat, output_beat


@dataclass(frozen=True)
class Items:
    """A beat: which lanes have an item, and the value of each lane."""

    present: int
    data: list[int]

    @property
    def items(self) -> list[int]:
        return [value for lane, value in enumerate(self.data) if self.present >> lane & 1]


Packet = list[Items]
Row = tuple[int, list[int], int]
"""Keep bits, data and report of an output beat."""


@dataclass
class Trace:
    """Rows of each packet, the core's latency, and the cycles of last beats: transfer in, first offer out."""

    rows: list[list[Row]]
    latency: int
    last_in: list[int]
    last_out: list[int]
    first_in: int


def marked(data: int) -> int:
    """The bench's report for a packet whose last beat has ``data`` in lane 0."""
    return data | 0x5A << 8


def run(simulate, packing, packets: list[Packet], lanes: int, plan: Plan, stall: float = 0.0) -> Trace:
    """Send packets through a core that only packs: its items are the lanes that are kept."""
    m = Module()
    i = input_beat(lanes, 1).create()
    o = output_beat(lanes, 8).create()
    source = accept(InputPort(m, i, plan, Restart.never()))
    report = source.pipeline.step(
        "report", lambda last, data: Mux(last, Cat(data, Const(0x5A, end_layout(Sidebands()).size - 8)), 0),
        source.pipeline.last, source.data[0])
    keep = source.kept if packing is pack else source.there
    packed = packing(source, o, keep.beat(), lambda after: source.data.beat(), report)
    m.d.comb += [i.ready.eq(packed.buffer.accept), o.valid.eq(packed.buffer.offer)]

    rng = random.Random(lanes)
    beats = [(beat, number == len(packet) - 1) for packet in packets for number, beat in enumerate(packet)]
    assert packed.timing.depth == packed.buffer.depth
    trace = Trace([[]], packed.timing.latency, [], [], -1)

    async def feed(ctx):
        cycle = 0
        for beat, last in beats:
            while rng.random() < stall:
                ctx.set(i.valid, 0)
                await ctx.tick()
                cycle += 1
            ctx.set(i.valid, 1)
            ctx.set(i.payload.last, int(last))
            ctx.set(i.payload.keep, beat.present)
            for lane, item in enumerate(beat.data):
                ctx.set(i.payload.data[lane], item)
            ready = False
            while not ready:
                _, _, ready = await ctx.tick().sample(i.ready)
                cycle += 1
            if trace.first_in < 0:
                trace.first_in = cycle - 1
            if last:
                trace.last_in.append(cycle - 1)
        ctx.set(i.valid, 0)

    async def drain(ctx):
        cycle = quiet = 0
        watched = [o.valid, o.payload.last, o.payload.keep, o.payload.report.as_value(),
                   *(o.payload.data[lane] for lane in range(lanes))]
        while quiet < 150:
            ready = rng.random() >= stall
            ctx.set(o.ready, int(ready))
            _, _, valid, last, keep, report, *data = await ctx.tick().sample(*watched)
            quiet = 0 if valid else quiet + 1
            if valid and ready:
                trace.rows[-1].append((keep, data, report))
                if last:
                    trace.last_out.append(cycle)
                    trace.rows.append([])
            cycle += 1

    simulate(m, feed, drain)
    assert trace.rows.pop() == [], "rows of a packet without an end"
    return trace


def dense(packet: Packet, lanes: int) -> list[Row]:
    """Full rows, each with the beat that fills it, and at the end the remaining items, possibly none."""
    rows: list[Row] = []
    items: list[int] = []
    for beat in packet[:-1]:
        items += beat.items
        if len(items) >= lanes:
            rows.append(((1 << lanes) - 1, items[:lanes], 0))
            items = items[lanes:]
    items += packet[-1].items
    if len(items) > lanes:
        rows.append(((1 << lanes) - 1, items[:lanes], 0))
        items = items[lanes:]
    last = ((1 << len(items)) - 1, items + [0] * (lanes - len(items)), marked(packet[-1].data[0]))
    return [*rows, last]


def sparse(packet: Packet, lanes: int) -> list[Row]:
    return [
        (beat.present, [value if beat.present >> lane & 1 else 0 for lane, value in enumerate(beat.data)],
         marked(beat.data[0]) if beat is packet[-1] else 0)
        for beat in packet
    ]


def beat_of(rng: random.Random, lanes: int, count: int) -> Items:
    """A beat with ``count`` items."""
    present = sum(1 << lane for lane in rng.sample(range(lanes), count))
    return Items(present, [rng.randrange(1, 256) for _ in range(lanes)])


def with_counts(lanes: int, packets: list[list[int]]) -> list[Packet]:
    rng = random.Random(len(packets))
    return [[beat_of(rng, lanes, count) for count in counts] for counts in packets]


def random_packets(lanes: int, count: int) -> list[Packet]:
    rng = random.Random(count * lanes)
    counts = []
    for _ in range(count):
        fill = rng.choice([0.0, 0.5, 0.9, 1.0])
        length = rng.choice([1, 1, 2, 3, 12])
        counts.append([lanes if rng.random() < fill else rng.randrange(lanes + 1) for _ in range(length)])
    return with_counts(lanes, counts)


@pytest.mark.parametrize("stall", [0.0, pytest.param(0.3, marks=pytest.mark.slow), 0.8])
@pytest.mark.parametrize(("lanes", "plan"), [
    (1, Plan.FAST), (2, Plan.FAST), (4, Plan.FAST), (8, Plan.FAST),
    *(pytest.param(lanes, Plan.FAST, marks=pytest.mark.slow) for lanes in (16, 32)),
    (1, Plan.BALANCED), (4, Plan.BALANCED), (2, Plan.COMPACT), (4, Plan.COMPACT),
])
@pytest.mark.parametrize(("packing", "model"), [(pack, dense), (in_place, sparse)], ids=["dense", "sparse"])
def test_rows_of_random_packets(simulate, packing, model, lanes: int, plan: Plan, stall: float) -> None:
    packets = random_packets(lanes, 60)
    trace = run(simulate, packing, packets, lanes, plan, stall)
    assert trace.rows == [model(packet, lanes) for packet in packets]


FULL, SOME = 4, 3
BACK_TO_BACK = {
    "empty": [[0]] * 40,
    "empty after a packet": [[FULL], [0]] * 20,
    "one item": [[1]] * 40,
    "exactly full": [[FULL]] * 40,
    "a last beat of two rows": [[SOME, SOME]] * 30,
    "two rows after full ones": [[FULL] * 5 + [SOME, SOME]] * 10,
    "two rows, then an empty packet": [[SOME, FULL], [0]] * 20,
    "two rows, then full ones": [[SOME, SOME], [FULL] * 3] * 12,
    "a row kept back through many empty beats": [[FULL, SOME, *[0] * 40, 0]] * 3,
    "full beats only": [[FULL] * 30] * 3,
    "full rows, then nothing": [[FULL, FULL, 0]] * 12,
    "never a full beat": [[1] * 33] * 3,
}


@pytest.mark.parametrize("plan", list(Plan))
@pytest.mark.parametrize("counts", BACK_TO_BACK.values(), ids=BACK_TO_BACK)
def test_packets_back_to_back_take_a_cycle_a_beat(simulate, counts: list[list[int]], plan: Plan) -> None:
    lanes = FULL
    packets = with_counts(lanes, counts)
    trace = run(simulate, pack, packets, lanes, plan)
    assert trace.rows == [dense(packet, lanes) for packet in packets]
    ends = [sum(map(len, packets[: number + 1])) - 1 for number in range(len(packets))]
    assert [cycle - trace.first_in for cycle in trace.last_in] == ends
    assert [cycle - trace.first_in for cycle in trace.last_out] == [end + trace.latency for end in ends]


@pytest.mark.parametrize("packing", [pack, in_place], ids=["dense", "sparse"])
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_random_packets_take_a_cycle_a_beat(simulate, packing, lanes: int) -> None:
    packets = random_packets(lanes, 80)
    trace = run(simulate, packing, packets, lanes, Plan.FAST)
    ends = [sum(map(len, packets[: number + 1])) - 1 for number in range(len(packets))]
    assert [cycle - trace.first_in for cycle in trace.last_out] == [end + trace.latency for end in ends]
