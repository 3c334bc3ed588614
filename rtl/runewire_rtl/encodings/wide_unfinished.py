"""Unfinished units at the end of a segment, in encodings of units of several bytes."""

from __future__ import annotations

from amaranth.hdl import Cat, Mux

from ..pipeline import Pipeline, Timed
from ..segments.segment_beats import Ending


def utf16(pipeline: Pipeline, name: str, ending: Ending) -> Timed:
    """How many bytes of ``ending`` are part of an incomplete unit, or of a high surrogate before it, 0 to 3."""
    high = [pipeline.step(f"{name}_high{place}", lambda byte: byte[2:] == 0xD8 >> 2, byte)
            for place, byte in enumerate(ending.bytes.parts(8))]
    upper = pipeline.step(f"{name}_surrogate", lambda part, little, *high: Mux(
        part[0], Mux(little, high[1], high[2]), Mux(little, high[0], high[1])), ending.part, ending.little, *high)
    return pipeline.step(f"{name}_size", lambda part, upper: Cat(part[0], upper), ending.part, upper)


def utf32(pipeline: Pipeline, name: str, ending: Ending) -> Timed:
    """How many bytes of ``ending`` are part of an incomplete unit, 0 to 3."""
    return pipeline.step(f"{name}_size", lambda part: part, ending.part)
