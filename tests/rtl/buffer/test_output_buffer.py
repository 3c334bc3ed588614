"""The output buffer: rows come out as they went in, whatever the output's pauses; one per cycle without pauses."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import data, stream
from runewire_model.report import Sidebands
from runewire_rtl.buffer.output_buffer import BANK, OUTPUT_LATENCY, READ_LATENCY, WRITTEN, OutputBuffer, depth_for
from runewire_rtl.buffer.read_controller import BANKS
from runewire_rtl.pipeline.layout_policy import TUNED
from runewire_rtl.stream_shapes import end_layout, output_beat

WIDTH = 8
DEPTH = BANKS * BANK


@dataclass(frozen=True)
class Row:
    """A row as it is written."""

    data: tuple[int, ...]
    keep: int
    last: int
    report: int

    @property
    def shown(self) -> tuple[int, ...]:
        """The row as the output shows it: a lane that is not kept is zero."""
        lanes = [value if self.keep >> lane & 1 else 0 for lane, value in enumerate(self.data)]
        return (*lanes, self.keep, self.last, self.report)


@dataclass
class Trace:
    """Rows as written and as taken, and the cycles of pushes and of first `valid`."""

    written: list[Row] = field(default_factory=list)
    taken: list[tuple[int, ...]] = field(default_factory=list)
    pushed: list[int] = field(default_factory=list)
    offered: list[int] = field(default_factory=list)


def run(
    simulate, lanes: int, depth: int, delay: int, *,
    beats: int = 200, ready: float = 1.0, source: float = 1.0, returned: float = 0.0, written: int = WRITTEN,
    together: int = 1, upcoming: bool = False,
) -> Trace:
    """A writer that uses credits. A beat that is taken pushes its row ``delay`` cycles later, and writes it ``written``
    cycles after that. A share ``returned`` of the beats has no row. With ``upcoming`` a consumer knows the report's
    lowest bit a cycle ahead, and lanes come later than the rest of a row.
    """
    m = Module()
    output = output_beat(lanes, WIDTH).create()
    m.submodules.buffer = buffer = OutputBuffer(WIDTH, depth, output, Const(0), together)
    m.d.comb += output.valid.eq(buffer.offer)
    ahead = Signal()
    if upcoming:
        buffer.upcoming = ahead
    late = buffer.late
    assert bool(late) == upcoming
    rng = random.Random(depth + delay)
    payload = output.payload
    watched = [buffer.accept, output.valid, *(payload.data[lane] for lane in range(lanes)),
               payload.keep, payload.last, payload.report.as_value(), ahead]
    trace = Trace()

    def write(slot: int, row: Row, enable: bool):
        def port(write, value: int):
            address, bank = divmod(slot, BANKS)
            return [(write.rows[0], address), (write.enable, enable << bank), (write.data, value)]

        items = sum(value << WIDTH * lane for lane, value in enumerate(row.data))
        for index, lane in enumerate(buffer.lane):
            yield from port(lane, items >> WIDTH * together * index & (1 << len(lane.data)) - 1)
        for group, keep in enumerate(buffer.keep):
            yield from port(keep, row.keep >> group * buffer.group & (1 << len(keep.data)) - 1)
        yield from port(buffer.metadata, row.last | row.report << 1)

    async def bench(ctx):
        taking, taken = False, 0
        due: dict[int, bool] = {}
        writing: dict[int, tuple[int, Row]] = {}
        waiting = waiting_now = None
        cycle = quiet = 0
        before = [(0, 0, 0, 0)] * late
        next_report = 0
        while quiet < 100:
            ready_now = rng.random() < ready
            gives_row = due.pop(cycle, None)
            row = Row(tuple(rng.getrandbits(WIDTH) for _ in range(lanes)), rng.getrandbits(lanes),
                      rng.getrandbits(1), rng.getrandbits(end_layout(Sidebands()).size))
            if gives_row:
                writing[cycle + written] = len(trace.written), row
            number, written_now = writing.pop(cycle, (0, None))
            stimulus = [
                (output.ready, int(ready_now)), (buffer.accepted, int(taking)),
                (buffer.push, int(gives_row is True) << len(trace.written) % BANKS),
                (buffer.returned, int(gives_row is False)),
                *write(number % depth, written_now or row, written_now is not None),
            ]
            if gives_row:
                trace.written.append(row)
                trace.pushed.append(cycle)
            for signal, value in stimulus:
                ctx.set(signal, value)
            _, _, accept, valid, *values, last, report, coming = await ctx.tick().sample(*watched)
            if upcoming and valid and waiting_now is None:
                assert int(report) & 1 == next_report, "the report is another one than a cycle before"
            waiting_now = 0 if valid and not ready_now else None
            next_report = int(coming)
            before.append((int(valid), int(ready_now), int(last), int(report)))
            valid, ready_now, last, report = before.pop(0)
            shown = (*(int(value) for value in values), last, report)
            if valid:
                assert waiting in (None, shown), "the payload changed while it waited"
                if waiting is None:
                    trace.offered.append(cycle)
                if ready_now:
                    trace.taken.append(shown)
            else:
                assert waiting is None, "valid fell before ready"
            waiting = shown if valid and not ready_now else None
            taking = bool(accept) and taken < beats and rng.random() < source
            if taking:
                taken += 1
                due[cycle + delay] = rng.random() >= returned
            quiet = 0 if due or valid or taking else quiet + 1
            cycle += 1
        assert taken == beats, f"{taken} beats taken, no more since cycle {cycle - quiet}"

    simulate(m, bench)
    return trace


@pytest.mark.parametrize(("ready", "source"), [(1.0, 1.0), (0.5, 1.0), (0.1, 1.0), (0.9, 0.3), (0.5, 0.5)])
@pytest.mark.parametrize("returned", [0.0, 0.4])
@pytest.mark.parametrize(("lanes", "depth"), [
    (1, DEPTH), *(pytest.param(lanes, DEPTH, marks=pytest.mark.slow) for lanes in (6, 8)), (2, 2 * DEPTH)])
def test_nothing_is_lost_or_changed(
    simulate, lanes: int, depth: int, ready: float, source: float, returned: float
) -> None:
    trace = run(simulate, lanes, depth, 7, ready=ready, source=source, returned=returned)
    assert len(trace.written) > 100
    assert trace.taken == [row.shown for row in trace.written]


@pytest.mark.parametrize(("lanes", "together"), [(8, 4), (6, 4), (1, 4), (12, 2), (16, 16)])
def test_lanes_may_be_written_together(simulate, lanes: int, together: int) -> None:
    trace = run(simulate, lanes, DEPTH, 7, ready=0.6, together=together)
    assert trace.taken == [row.shown for row in trace.written]


@pytest.mark.parametrize(("lanes", "written", "beats", "source"), [
    (2, 0, 200, 1.0), (16, WRITTEN, 60, 1.0), (40, 0, 30, 0.3), pytest.param(64, 2, 60, 1.0, marks=pytest.mark.slow)])
def test_lanes_follow_a_row_whose_report_is_known_ahead(
    simulate, lanes: int, written: int, beats: int, source: float,
) -> None:
    """Four read controllers share the leader's announcements; with 40 lanes there is a fifth, with its own."""
    trace = run(simulate, lanes, DEPTH, 7, ready=0.5, source=source, written=written, beats=beats, upcoming=True,
                together=8 if lanes == 40 else 1)
    assert trace.taken == [row.shown for row in trace.written]


@pytest.mark.parametrize("written", range(WRITTEN + 1))
def test_a_row_may_be_written_after_its_push(simulate, written: int) -> None:
    trace = run(simulate, 2, DEPTH, 5, written=written)
    assert trace.taken == [row.shown for row in trace.written]


@pytest.mark.parametrize("depth", [DEPTH, 2 * DEPTH])
def test_a_row_is_offered_a_fixed_time_after_its_push(simulate, depth: int) -> None:
    trace = run(simulate, 2, depth, 5, beats=60, source=0.1)
    assert trace.offered == [cycle + OUTPUT_LATENCY for cycle in trace.pushed]


@pytest.mark.parametrize("delay", [1, 5, 7, 8, 12, 23, 24, 40])
def test_its_depth_is_enough_for_a_beat_a_cycle(simulate, delay: int) -> None:
    trace = run(simulate, 1, depth_for(delay + READ_LATENCY), delay, beats=200)
    assert trace.pushed == list(range(trace.pushed[0], trace.pushed[0] + 200))
    assert trace.offered == [cycle + OUTPUT_LATENCY for cycle in trace.pushed]


@pytest.mark.parametrize("in_flight", range(1, 60))
def test_depths_are_banks_times_a_power_of_two(in_flight: int) -> None:
    depth = depth_for(in_flight)
    assert depth % DEPTH == 0
    assert depth & depth - 1 == 0
    assert depth > in_flight


def test_rows_are_offered_after_a_long_stall(simulate) -> None:
    """The buffer is filled to the last credit, then drained at full speed: no row is lost, and there is no bubble."""
    trace = run(simulate, 2, DEPTH, 3, beats=100, ready=0.02)
    assert trace.taken == [row.shown for row in trace.written]
    assert len(trace.taken) == 100


@pytest.mark.needs("berkeley-abc")
def test_metadata_with_a_read_controller_of_their_own_come_at_the_same_time(
    proven_same: Callable[..., bool],
) -> None:
    """Of wide packed rows: the buffer is equivalent to one whose leader also reads the metadata."""
    def text(far_row: int, name: str) -> str:
        output = stream.Signature(data.StructLayout({
            "data": data.ArrayLayout(2, 2), "keep": 2, "last": 1, "report": data.StructLayout({"error": 1})})).create()
        made = OutputBuffer(2, 32, output, Const(0), policy=replace(TUNED, far_row=far_row), apart=True)
        ports = [Value.cast(output.payload), output.ready, made.push, made.accepted, made.returned, made.accept,
                 made.offer]
        for write in (*made.lane, *made.keep, made.metadata):
            ports += [write.enable, write.data, *write.rows]
        unique = {id(port): port for port in ports}
        return rtlil.convert(made, name=name, ports=[*unique.values()], emit_src=False)

    texts = [text(1, "far"), text(1 << 20, "near")]
    assert ["reader_metadata" in text for text in texts] == [True, False]
    assert proven_same(*zip(texts, ("far", "near"), strict=True))
