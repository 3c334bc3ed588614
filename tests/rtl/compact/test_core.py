"""Compact cores: latency, promises at the output, and offsets near saturation and after a byte order mark."""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from amaranth.hdl import Value
from runewire_model import CompactTiming, TranscoderParameters
from runewire_rtl import parameters, timing
from runewire_sim import generated, simulate

REGISTERS = {
    ("validator",): (2, 2, 2, 2, 3), ("decoder", "sparse"): (2, 2, 2, 2, 3), ("decoder", "dense"): (2, 2, 3, 3, 3),
    ("encoder",): (3, 3, 3, 4, 4),
}
"""Registers after the lookahead up to the output, for 1, 2, 4 … lanes."""


@pytest.mark.parametrize(("lanes", "core", "registers"), [
    pytest.param(1 << index, core, count, marks=[pytest.mark.slow] if index > 1 else [],
                 id=f"{'-'.join(core)}-{1 << index}")
    for core, counts in REGISTERS.items() for index, count in enumerate(counts)])
def test_latency_is_a_few_registers(lanes: int, core: tuple[str, ...], registers: int) -> None:
    name, *packing = core
    params = parameters(name, lanes=lanes, pipeline="compact", **dict(zip(["packing"], packing, strict=False)))
    time = timing(params)
    assert time == CompactTiming(int(name != "encoder"), registers)
    assert params.create().latency == time.latency


class Cycle(NamedTuple):
    """A core's signals in a cycle. ``report``: the report on its last beat. ``waiting``: number of waiting reports."""

    taken: bool
    valid: bool
    ready: bool
    last: bool
    payload: int
    report: int
    waiting: int


SIDES: dict[str, Any] = {"pipeline": "compact", "user": 2}

CORES = [
    parameters("validator", lanes=1, **SIDES), parameters("validator", lanes=4, report_port="beside", **SIDES),
    parameters("decoder", lanes=4, **SIDES), parameters("encoder", lanes=1, report_port="beside", **SIDES),
    parameters("decoder", lanes=2, report_port="only", **SIDES),
]

COUNT = 900


def watch(simulate: Callable[..., None], params: TranscoderParameters, ready: float, reports: float) -> list[Cycle]:
    """A core under random traffic; its beats and reports are taken in the same share of cycles."""
    core = params.create()
    rng = random.Random(7)
    ported = params.sidebands.report_port != "none"
    seen: list[Cycle] = []

    async def run(ctx) -> None:
        offered, waiting = False, 0
        given, row = core.i.payload, core.o.payload
        for _ in range(COUNT):
            if not offered and rng.random() < 0.8:
                offered = True
                for lane in range(params.lanes):
                    ctx.set(given.data[lane], rng.choice([0x41, 0xC3, 0xA9, 0xE2, 0xFF]))
                last = rng.random() < 0.4
                kept = rng.randrange(params.input_bytes + 1) if last and params.reads.unit_bytes == 1 \
                    else params.input_bytes
                ctx.set(given.keep, (1 << kept) - 1)
                ctx.set(given.last, last)
                ctx.set(given.user, rng.choice([0, 2]))
            ctx.set(core.i.valid, offered)
            ctx.set(core.o.ready, rng.random() < ready)
            if ported:
                ctx.set(core.report.ready, rng.random() < reports)
            taken, shows, takes, ends = (bool(ctx.get(value)) for value in (
                core.i.valid & core.i.ready, core.o.valid, core.o.ready, row.last))
            report = ctx.get(Value.cast(row.report))
            seen.append(Cycle(taken, shows, takes, ends, ctx.get(Value.cast(row)), report, waiting))
            offered = offered and not taken
            if ported:
                waiting -= ctx.get(core.report.valid & core.report.ready)
                waiting += shows and takes and ends
            await ctx.tick()

    simulate(core, run)
    return seen


@pytest.mark.parametrize("params", CORES, ids=str)
def test_an_offered_beat_stays_until_it_is_taken(simulate, params: TranscoderParameters) -> None:
    seen = watch(simulate, params, 0.4, 0.8)
    stalled = [(before, after) for before, after in pairwise(seen) if before.valid and not before.ready]
    assert len(stalled) > COUNT // 8
    assert all(after.valid and after.payload == before.payload for before, after in stalled)


@pytest.mark.parametrize("params", CORES, ids=str)
def test_a_core_that_is_closed_takes_and_offers_nothing(simulate, params: TranscoderParameters) -> None:
    seen = watch(simulate, params, 0.7, 1.0)
    # Registers start with the values that a reset gives them.
    closed = params.create().start_cycles - 1
    assert 8 < closed < COUNT // 2
    assert not any(cycle.taken or cycle.valid for cycle in seen[:closed])
    assert any(cycle.taken for cycle in seen[closed : closed + 8])


@pytest.mark.parametrize("params", [params for params in CORES if params.sidebands.report_port != "only"], ids=str)
def test_what_is_told_of_a_packet_is_with_its_last_beat_alone(simulate, params: TranscoderParameters) -> None:
    seen = [cycle for cycle in watch(simulate, params, 0.7, 1.0) if cycle.valid]
    assert any(cycle.report for cycle in seen if cycle.last)
    assert any(not cycle.last for cycle in seen)
    assert not any(cycle.report for cycle in seen if not cycle.last)


@pytest.mark.parametrize("params", [params for params in CORES if params.sidebands.report_port != "none"], ids=str)
def test_no_packet_ends_while_two_reports_wait(simulate, params: TranscoderParameters) -> None:
    seen = watch(simulate, params, 0.9, 0.1)
    full = [cycle for cycle in seen if cycle.waiting == 2]
    assert len(full) > COUNT // 4
    assert max(cycle.waiting for cycle in seen) == 2
    assert not any(cycle.valid and cycle.last for cycle in full)


@pytest.mark.parametrize("core", ["validator", "decoder", "encoder"])
def test_a_packet_that_came_flagged_leaves_flagged(simulate, core: str) -> None:
    """The lowest bit of its last beat's tuser is set, whatever the text is."""
    made = parameters(core, lanes=1, pipeline="compact", user=2, report="flag").create()
    found: list[tuple[int, int]] = []

    async def run(ctx) -> None:
        ctx.set(made.o.ready, 1)
        ctx.set(made.i.payload.data[0], 0x41)
        ctx.set(made.i.payload.keep, -1)
        for user in (0, 1, 2, 3, 0):
            for last in (0, 1):
                ctx.set(made.i.payload.user, user)
                ctx.set(made.i.payload.last, last)
                ctx.set(made.i.valid, 1)
                while not ctx.get(made.i.ready):
                    await gather(ctx)
                await gather(ctx)
            ctx.set(made.i.valid, 0)
        for _ in range(8):
            await gather(ctx)

    async def gather(ctx) -> None:
        if ctx.get(made.o.valid & made.o.payload.last):
            found.append((ctx.get(made.o.payload.report.error), ctx.get(made.o.payload.report.user)))
        await ctx.tick()

    simulate(made, run)
    assert found == [(0, 0), (1, 1), (0, 2), (1, 3), (0, 0)]


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.slow
def test_an_offset_that_does_not_fit_is_all_ones(lanes: int) -> None:
    """Faults of all distances around the largest 16-bit number, and far beyond, each before another."""
    params = parameters("validator", lanes=lanes, pipeline="compact", offset_bits=16)
    packets = [b"a" * at + wrong + b"aaa\xFF" for at in (65531, 65533, 65534, 65535, 65536, 65539)
               for wrong in (b"\xFF", b"\xE2\x82", b"\xF0\x90\x80", b"\xF4\x90\x80\x80")]
    packets += [b"a" * 140_000 + b"\xFF", b"\x80", b"a"]
    with simulate(generated(params), packets) as run:
        found = [result.error for result, _ in run.packets()]
    for packet, error in zip(packets, found, strict=True):
        wanted = params.compute(packet).error
        assert (error is None) == (wanted is None)
        if error is not None and wanted is not None:
            assert (error.kind, error.offset) == (wanted.kind, min(wanted.offset, 0xFFFF))


@pytest.mark.parametrize("lanes", [1, 4])
def test_an_offset_counts_from_behind_the_mark_that_is_added(lanes: int) -> None:
    params = parameters("sanitizer", lanes=lanes, errors="drop", pipeline="compact", bom="add")
    packets = [b"a" * at + b"\xFFa" for at in range(10)]
    with simulate(generated(params), packets) as run:
        found = [result.error for result, _ in run.packets()]
    assert [error and error.offset for error in found] == [*range(10)]
