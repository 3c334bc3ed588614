"""Skid buffer behind the output buffer: a row that left while the output was not ready waits; a reset drops it."""

from amaranth.hdl import Module, Signal, Value
from runewire_rtl.buffer.output_skid import OutputSkid
from runewire_rtl.pipeline.layout_policy import NAIVE, TRUE_ENABLES, TUNED
from runewire_rtl.stream_shapes import output_beat

LANES, GROUPED = 5, 2


def bench_of(simulate, policy, steps: list[tuple[int, int, int, int]]) -> list[tuple[int, ...]]:
    """For each step of ``valid``, row, ``ready`` and ``clear``: the offer, the output's row, and each ``ready`` before
    it."""
    given, output = (output_beat(LANES, 8).create(path=(name,)) for name in ("given", "output"))
    clear = Signal(init=1)
    skid = OutputSkid(given, output, GROUPED, clear, policy)
    m = Module()
    m.submodules.skid = skid
    seen: list[tuple[int, ...]] = []

    async def bench(ctx) -> None:
        for valid, row, ready, cleared in steps:
            for offer in skid.offers:
                ctx.set(offer, valid)
            ctx.set(Value.cast(given.payload), row)
            ctx.set(output.ready, ready)
            ctx.set(clear, cleared)
            await ctx.delay(0)
            seen.append((ctx.get(skid.offer), ctx.get(Value.cast(output.payload)), *map(ctx.get, skid.ready)))
            await ctx.tick()

    simulate(m, bench)
    return seen


def test_the_example_of_the_module(simulate) -> None:
    a, b, c, d = (0x11 * row for row in range(1, 5))
    start = [(0, 0, 1, 1), (0, 0, 1, 0), (0, 0, 1, 0)]
    steps = [(1, a, 1, 0), (1, b, 0, 0), (1, c, 0, 0), (1, c, 1, 0), (1, c, 1, 0), (1, d, 1, 0)]
    for policy in (TUNED, NAIVE, TRUE_ENABLES):
        seen = bench_of(simulate, policy, [*start, *steps])[len(start):]
        assert [row for _, row, *_ in seen] == [a, b, b, b, c, d]
        assert all(offer for offer, *_ in seen)
        readers = 1 + -(-LANES // GROUPED)
        assert [ready for _, _, *ready in seen] == [[free] * readers for free in (1, 1, 0, 0, 1, 1)]


def test_a_reset_drops_the_row_that_waits(simulate) -> None:
    steps = [(0, 0, 1, 1), (0, 0, 1, 0), (0, 0, 1, 0), (1, 7, 0, 0), (0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 0, 1),
             (0, 0, 0, 0), (0, 0, 0, 0)]
    for policy in (TUNED, TRUE_ENABLES):
        assert [offer for offer, *_ in bench_of(simulate, policy, steps)] == [0, 0, 0, 1, 1, 1, 1, 0, 0]
