"""Unfinished sequence at the end of a segment: the bytes that wait for the flow's next segment."""

from __future__ import annotations

from amaranth.hdl import Cat

from ...pipeline import Pipeline, Timed
from ...segments.segment_beats import Ending


def unfinished(pipeline: Pipeline, name: str, ending: Ending) -> Timed:
    """How many of the last three bytes of ``ending``, the last one lowest, begin a sequence that announces more bytes
    than follow, 0 to 3. A byte that is not there is zero."""
    last, second, third = ending.bytes.parts(8)
    lead = pipeline.step(f"{name}_lead", lambda byte: byte[6:].all() & ~byte[3:6].all(), last)
    longer = pipeline.step(f"{name}_longer", lambda byte: byte[5:].all() & ~byte[3:5].all(), second)
    longest = pipeline.step(f"{name}_longest", lambda byte: byte[4:].all() & ~byte[3], third)
    tail = [pipeline.step(f"{name}_tail{place}", lambda byte: byte[7] & ~byte[6], byte)
            for place, byte in enumerate((last, second))]
    return pipeline.step(
        f"{name}_size", lambda one, longer, longest, first, second: Cat(
            one | (first & second & longest), first & (longer | (second & longest))),
        lead, longer, longest, *tail)
