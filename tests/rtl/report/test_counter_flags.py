"""Flags of the counters: what each lane adds to a packet's counts, of text that is ill-formed too."""

import random

import pytest
from runewire_model import encoding
from runewire_rtl.encodings import FRONT_ENDS
from runewire_rtl.pipeline import Plan
from runewire_rtl.report.counter_flags import FLAGS, Countable

UNITS = {
    "utf-32le": [0x41, 0x7F, 0x80, 0xD800, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, 0x1FFFFF, 0x200041, 0x80000000],
    "utf-8": [0x41, 0x7F, 0x80, 0x90, 0xC3, 0xE2, 0xF0, 0xF4, 0xF5, 0xFF],
}
"""Units of each kind."""


@pytest.mark.parametrize("plan", [Plan.FAST, Plan.COMPACT])
@pytest.mark.parametrize("source", UNITS)
def test_ill_formed_units_above_ffff_count_as_one_unit_of_utf16(lane_bench, beat, source: str, plan: Plan) -> None:
    """Each packet's flags together, of two lanes a beat."""
    kind, one, rng = FRONT_ENDS[source], encoding(source), random.Random(7)
    size = one.unit_bytes
    bench = lane_bench(2, plan, width=8 * size, lookahead=kind.lookahead, unit_bytes=size)
    front = kind(bench.source)
    text = front.scalars(bench.source.kept, drop=False, strip=False)
    made = Countable(front, text, front.ill_formed(bench.source.there), None)
    names = ["code-points", "utf16-units", "replacements", "ascii"]
    flags = [FLAGS[name].make(made) for name in names]
    beats, packets = [], []
    for _ in range(120):
        units = [rng.choice(UNITS[source]) for _ in range(rng.randrange(1, 8))]
        packets.append(units)
        for at in range(0, len(units), 2):
            there = len(units[at : at + 2])
            # After the packet's end a unit that ends every sequence.
            given = [*units[at : at + 2 + kind.lookahead], *[0x41] * 3][: 2 + kind.lookahead]
            beats.append(beat(given, (1 << size * there) - 1, at + 2 >= len(units)))
    rows = iter(bench.run(beats, [flag for each in flags for flag in each]))
    for units in packets:
        packet = one.pack(units)
        total = dict.fromkeys(names, 0)
        for _ in range(0, len(units), 2):
            row = iter(next(rows))
            for name, each in zip(names, flags, strict=True):
                total[name] += sum(next(row) for _ in each)
        scalars = one.decode(packet)
        assert total == {
            "code-points": len(scalars), "utf16-units": sum(1 + (scalar > 0xFFFF) for scalar in scalars),
            "replacements": len(scalars) - len(one.decode(packet, "drop")),
            "ascii": sum(unit < 0x80 for unit in units)}, packet.hex()
