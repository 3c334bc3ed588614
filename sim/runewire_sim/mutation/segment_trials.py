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
LONG = 1500
"""Bytes in UTF-8 of a text in segments of several beats: its offsets have about ten bits."""
MOST_BEATS = 12
"""Beats of such a segment at most: more than a core keeps back until it sends the first."""
MOST_AROUND = 24
"""Beats of the segments around a long one at most."""


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


def in_beats(parameters: TranscoderParameters, texts: Sequence[bytes], seed: int) -> Iterator[Segment]:
    """The texts in segments of several beats, each text of the next flow, and segments of all flows at random."""
    random, flows = Random(f"beats {seed}"), min(parameters.sidebands.flows or 1, len(texts))
    waiting = {flow: [each for text in texts[flow::flows] for each in _pieces(
        text, MOST_BEATS * parameters.input_bytes, flow, random)][::-1] for flow in range(flows)}
    while waiting:
        flow = random.choice([*waiting])
        yield waiting[flow].pop()
        if not waiting[flow]:
            del waiting[flow]


def around(
    parameters: TranscoderParameters, packet: bytes, letter: bytes, flow: int, random: Random,
) -> Iterator[Segment]:
    """A text whose second segment begins with the long ``packet`` and ends anywhere in a character. The first one has
    ``letter`` a few times, the others a few characters of each length."""
    reads = parameters.reads
    rest = b"".join(reads.encode([scalar]) for scalar in (0x10348, 0x20AC, 0xE9) if scalar <= reads.greatest)
    cut = random.randrange(4)
    yield Segment(letter * random.randrange(4), flow, True)
    yield Segment(packet + rest[:cut], flow, True)
    yield from _pieces(rest[cut:], 3, flow, random)


def _pieces(text: bytes, longest: int, flow: int, random: Random) -> Iterator[Segment]:
    """The text in segments of up to so many bytes, and an empty one."""
    while text:
        size = random.randrange(1, longest + 1)
        yield Segment(text[:size], flow, True)
        text = text[size:]
    yield Segment(b"", flow)
