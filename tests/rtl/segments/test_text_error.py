"""First error of a text in segments: its offset from the text's start, in numbers of any width."""

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from amaranth.hdl import Cat, Const
from runewire_rtl.report.packet_counters import CHUNK
from runewire_rtl.segments.context import Forgetting
from runewire_rtl.segments.text_error import FOUND, _from_text_start


@pytest.mark.parametrize("width", [CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 2])
def test_an_offset_counts_from_the_texts_start(lane_bench, beat, width: int) -> None:
    """Each packet of four lanes has an error at an offset of its own, and continues a text or begins one."""
    lanes, random = 4, Random(width)
    bench = lane_bench(lanes, width=width + 2, lookahead=False, gaps=0.1)
    pipeline = bench.pipeline
    report = pipeline.step("report", lambda data: Cat(data[0], Const(0, FOUND - 1), data[2:]), bench.data[0])
    more = pipeline.step("more", lambda data: data[1], bench.data[0])
    sidebands: Any = SimpleNamespace(offset_bits=width, user=0, flow_bits=0)
    located = _from_text_start(replace(bench.source, user=more), report, sidebands, Forgetting.never())
    most = (1 << width) - 1
    beats, expected = [], list[tuple[int, int] | None]()
    start = 0
    for _ in range(150):
        size, goes_on = random.randrange(40), random.random() < 0.95
        offset = random.randrange(min(most, size) + 1)
        count = max(1, -(-size // lanes))
        for at in range(count):
            kept = min(lanes, size - lanes * at)
            beats.append(beat([1 | goes_on << 1 | offset << 2, 0, 0, 0], (1 << kept) - 1, at == count - 1))
            expected.append((start + offset, start + offset > most) if at == count - 1 else None)
        start = start + size if goes_on else 0
    for (told, beyond), wanted in zip(bench.run(beats, list(located)), expected, strict=True):
        if wanted is not None:
            assert beyond == wanted[1]
            assert beyond or told == 1 | wanted[0] << FOUND
