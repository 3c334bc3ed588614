"""Damaged packets under any stalls, from Hypothesis, through the fast lane; unkept bytes are noise."""

from functools import partial
from struct import pack
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from runewire_model import (
    ENCODINGS,
    DecoderParameters,
    EncoderParameters,
    SanitizerParameters,
    TranscoderParameters,
    ValidatorParameters,
)
from runewire_sim import Stalls, compare, generated, simulate

SANITIZERS: dict[int, dict[str, Any]] = {
    1: {"replacement": 0x3F, "bom": "strip"}, 2: {"errors": "drop"}, 4: {"errors": "drop", "packing": "sparse"}}
CORES = [
    ValidatorParameters(lanes=4), DecoderParameters(lanes=1), DecoderParameters(lanes=4),
    DecoderParameters(lanes=2, packing="sparse"), DecoderParameters(lanes=8, errors="drop", bom="strip"),
    EncoderParameters(lanes=2),
    *(pytest.param(SanitizerParameters(lanes, **options), marks=pytest.mark.slow)
      for lanes, options in SANITIZERS.items())]
PROBABILITIES = st.sampled_from([0.0, 0.95]) | st.floats(0, 0.95)
UTF8, UTF32 = ENCODINGS["utf-8"], ENCODINGS["utf-32le"]
PIECES = st.one_of(
    st.text(max_size=12).map(str.encode), st.sampled_from(list(UTF8.troublemakers.values())), st.binary(max_size=12),
    st.lists(st.sampled_from(UTF8.edges), max_size=12).map(bytes))
SCALARS = st.sampled_from(UTF32.edges) | st.integers(0, 0x10FFFF) | st.integers(0, 2**32 - 1)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Bytes of which some were overwritten, lost or doubled."""
    text = bytearray(b"".join(draw(st.lists(PIECES, max_size=6))))
    for at, how in draw(st.lists(st.tuples(st.integers(0, 80), st.sampled_from("wld")), max_size=3)):
        if at < len(text):
            if how == "w":
                text[at] = draw(st.sampled_from(UTF8.edges))
            else:
                text[at : at + 1] = text[at : at + 1] * 2 if how == "d" else b""
    return bytes(text)


def packets(parameters: TranscoderParameters) -> st.SearchStrategy[list[bytes]]:
    if parameters.source == "utf-32le":
        words = st.lists(SCALARS.map(partial(pack, "<I")), max_size=20)
        # Some lack bytes of their last unit.
        cut = st.sampled_from([None, None, None, -1, -2, -3])
        return st.lists(st.tuples(words.map(b"".join), cut).map(lambda made: made[0][: made[1]]), max_size=12)
    return st.lists(damaged(), max_size=12)


@pytest.mark.parametrize("parameters", CORES, ids=repr)
def test_any_packets_under_any_stalls(parameters: TranscoderParameters) -> None:
    design = generated(parameters)

    @settings(max_examples=30, deadline=None, derandomize=True, database=None, phases=[Phase.generate, Phase.shrink])
    @given(packets(parameters), PROBABILITIES, PROBABILITIES, st.integers(0, 2**32))
    def agrees(sent: list[bytes], source: float, sink: float, seed: int) -> None:
        with simulate(design, sent, Stalls(source, sink, seed)) as run:
            report = compare(parameters, sent, run)
        assert report.packets == len(sent)
        assert report.agree, (report.first_difference, report.protocol_errors)

    agrees()
