"""Packets for mutants of cores with flows: texts in segments, of one flow after another and of several in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from runewire_model import TranscoderParameters

from ..interleaving import interleaved
from ..segments import Segment

GROUP = 25
"""Texts between two changes of the number of flows that have one under way."""
SHARE = 4
"""Packets of a trial for each text in segments."""
NOISY = 4
"""Flows of the noise before a reset, and of the packets after it."""
MOST_COUNTED = 16
"""Greatest width of an offset that a trial exceeds: such a text takes 65,536 beats at most."""


def in_segments(parameters: TranscoderParameters, texts: Sequence[bytes], seed: int) -> Iterator[Segment]:
    """The texts cut anywhere, some of each number of flows."""
    random = Random(f"segments {seed}")
    for start in range(0, len(texts), GROUP):
        yield from interleaved(texts[start : start + GROUP], parameters, random)


def in_few_flows(parameters: TranscoderParameters, segments: Sequence[bytes]) -> list[bytes]:
    """The segments of the flows that the noise before a reset has, which the reset must forget."""
    flows = min(parameters.sidebands.flows or 1, NOISY)
    return [Segment(each, each.flow % flows, each.more) if isinstance(each, Segment) else each for each in segments]


def whole_texts(parameters: TranscoderParameters, packets: Sequence[bytes]) -> list[bytes]:
    """For a core with flows, each packet that is no segment as a text in one segment."""
    flows = parameters.sidebands.flows
    if flows is None:
        return [*packets]
    return [packet if isinstance(packet, Segment) else Segment(packet, number % flows)
            for number, packet in enumerate(packets)]


def byte_by_byte(parameters: TranscoderParameters, texts: Sequence[bytes]) -> Iterator[Segment]:
    """Segments of one byte, the next one always of the same flow; each text is closed by an empty segment."""
    flows = parameters.sidebands.flows or 1
    for number, text in enumerate(texts):
        yield from (Segment(bytes([byte]), number % flows, True) for byte in text)
        yield Segment(b"", number % flows)


def long_texts(parameters: TranscoderParameters) -> list[bytes]:
    """Texts with an error after each power of two of units, and after the greatest offset; the segments before are of
    any length. Empty if that takes too long, and without offsets."""
    sidebands, reads = parameters.sidebands, parameters.reads
    if sidebands.flows is None or sidebands.report != "full" or sidebands.offset_bits > MOST_COUNTED:
        return []
    letter, wrong = reads.encode([ord("a")]), reads.wrong[0]
    found: list[bytes] = []
    for bit in range(sidebands.offset_bits + 1):
        for units in ((1 << bit) - 1, 1 << bit):
            cut = units * 5 // 7
            parts = [letter * cut, letter * (units - cut), wrong + letter, b""]
            found += [Segment(part, bit % sidebands.flows, at < 3) for at, part in enumerate(parts)]
    return found
