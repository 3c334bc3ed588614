"""Texts cut anywhere, the segments of several flows interleaved."""

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

from runewire_model import TranscoderParameters

from .segments import Segment

FLOWS = 300
"""Texts that may be under way at the same time, at most."""
ABREAST = (1, 2, 7, 60, FLOWS)
"""Numbers of flows that may have a text under way at the same time."""
GROUP = 400
"""Texts between two changes of that number; all texts of a group end with it."""
EMPTY_END = 0.2
"""How often an empty segment closes a text."""
STAYS = 0.5
"""How often the next segment belongs to the same flow."""


def interleaved(texts: Iterable[bytes], core: TranscoderParameters, random: Random) -> Iterator[Segment]:
    """The segments of all ``texts``, up to `FLOWS` texts interleaved. Every text is closed."""
    flows = core.sidebands.flows or 1
    texts = iter(texts)
    while group := list(islice(texts, GROUP)):
        free = random.sample(range(flows), min(flows, random.choice(ABREAST)))
        under_way: dict[int, list[bytes]] = {}
        flow = free[0]
        while group or under_way:
            while free and group:
                under_way[free.pop()] = pieces(group.pop(), core, random)
            if flow not in under_way or random.random() > STAYS:
                flow = random.choice([*under_way])
            data = under_way[flow].pop()
            yield Segment(data, flow, bool(under_way[flow]))
            if not under_way[flow]:
                del under_way[flow]
                free.append(flow)


def pieces(text: bytes, core: TranscoderParameters, random: Random) -> list[bytes]:
    """The text cut anywhere, its end first: into single bytes, pieces shorter than a character, or of any length."""
    beat = core.input_bytes
    sizes = random.choice(((1,), (0, 1, 1, 2, 3), (0, 1, 2, 3, 4, 5, beat - 1, beat, beat + 1),
                           (1, beat, 2 * beat, len(text))))
    found = []
    while text:
        size = random.choice(sizes)
        found.append(text[:size])
        text = text[size:]
    if not found or random.random() < EMPTY_END:
        found.append(b"")
    return found[::-1]
