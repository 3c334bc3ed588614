"""Contexts of flows: each packet begins with the state that its flow's last packet left, however near that is."""

from collections import defaultdict
from random import Random

import pytest
from amaranth.hdl import Module, Signal
from runewire_rtl.pipeline import Plan
from runewire_rtl.segments.context import Context, Forgetting, Uses
from runewire_rtl.segments.text_error import begins


@pytest.mark.parametrize("plan", [Plan.FAST, Plan.BALANCED])
@pytest.mark.parametrize("gaps", [0.0, 0.4])
@pytest.mark.parametrize("bits", [0, 2, 6, 8])
def test_a_packet_goes_on_where_its_flow_was(lane_bench, beat, bits: int, gaps: float, plan: Plan) -> None:
    """The state is a sum of the bytes. Packets of one to three beats, of few flows in turns and of many; with more than
    four bits a flow's number also selects a bank of the memory."""
    bench = lane_bench(2, plan, lookahead=False, gaps=gaps)
    pipeline = bench.pipeline
    flow = bench.data[0].part(0, bits) if bits else None
    context = Context(pipeline, "state", 8, Uses(begins(pipeline), pipeline.valid, pipeline.last, flow), 1,
                      Forgetting.never())
    step = context.step
    context.set(context.before.at(step) + bench.data[1].at(step))
    random = Random(bits)
    few = random.sample(range(1 << bits), min(3, 1 << bits))
    beats, expected = [], []
    states: dict[int, int] = defaultdict(int)
    for number in range(500):
        chosen = random.choice(few) if number % 100 < 60 else random.randrange(1 << bits)
        size = random.choice((1, 1, 1, 2, 3))
        for place in range(size):
            added = random.randrange(1, 256)
            beats.append(beat([chosen, added], 3, place == size - 1))
            expected.append((states[chosen],))
            states[chosen] = (states[chosen] + added) % 256
    assert bench.run(beats, [context.before]) == expected


def test_each_context_is_cleared_once_after_a_reset(cycles) -> None:
    m = Module()
    clear = Signal()
    forgetting = Forgetting.after(m, clear, 8)
    seen = cycles(m, [[(clear, int(20 <= cycle < 23))] for cycle in range(45)], [forgetting.busy, forgetting.row])
    # Each time it waits at row 0 until the reset is over.
    assert [row for busy, row in seen if busy] == [0, *range(8), 0, 0, *range(8)]
