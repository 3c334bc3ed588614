"""Rounds of a soak of lines: splitters, filters, record flags and record reports, one round for each core.

A packet has no record, one or several: without a byte, short, as long as a beat or a buffer, or longer by a byte. Each
has ill-formed sequences at its ends, at borders of beats and between them; many are cut off by the record's end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from runewire_model import ENCODINGS, Encoding, TranscoderParameters, parameters
from runewire_model.encodings import BYTES
from runewire_model.report import Sidebands

from ..interleaving import interleaved
from ..stalls import Stalls
from ..stimuli import EDGE_SCALARS, coded
from .rounds import Round

LANES = (1, 8, 64)
"""Widths; a core that cannot have as many lanes has as many as it can."""
PACKETS = 100_000
"""Packets of each core, or segments."""
DELIMITER = 0x0A
FLOWS = 300
RECORDS = (0, 1, 1, 2, 3, 5, 9)
"""Numbers of records of a packet."""
UNENDED = 0.4
"""How often a packet's last record has no delimiter."""
SEQUENCES = (0, 0, 1, 1, 2, 4)
"""Numbers of sequences of a record; letters are between them."""
WELL_FORMED = 0.6
"""How often a sequence is well-formed."""


class LineCore(NamedTuple):
    """A core, and the probabilities of a pause of its source and sink, and of the sinks of rejects and reports."""

    parameters: TranscoderParameters
    stall: float
    side: float | None = None


def line_cores() -> Sequence[TranscoderParameters]:
    """The cores, narrow ones first."""
    return [core.parameters for core in _with_stalls()]


@cache
def _with_stalls() -> Sequence[LineCore]:
    return tuple(core for lanes in LANES for core in (*_splitting(lanes), *_filtering(lanes), *_with_records(lanes)))


def _splitting(lanes: int) -> Iterator[LineCore]:
    """Records as packets: whole or cut, with their delimiter or without."""
    yield LineCore(parameters("splitter", lanes=lanes, longest=4 * lanes, user=3, id=2), 0.05)
    yield LineCore(parameters("splitter", lanes=lanes, delimiter="drop", empty="drop", null_bytes="anywhere"), 0.3)
    yield LineCore(parameters("validator", lanes=lanes, split=DELIMITER, delimiter="drop", longest=2 * lanes, user=1,
                              count=("bytes",)), 0.6)


def _filtering(lanes: int) -> Iterator[LineCore]:
    """Packets without their ill-formed records. One sink takes rejected records slowly."""
    yield LineCore(parameters("filter", lanes=lanes, longest=4 * lanes, rejects=True, user=3, id=2, dest=9), 0.05, 0.9)
    yield LineCore(parameters("filter", lanes=lanes, longest=16 * lanes, rejects=True, pipeline="balanced"), 0.3)
    yield LineCore(parameters("filter", lanes=lanes, longest=2 * lanes, records=0x2C, null_bytes="anywhere"), 0.6)


def _with_records(lanes: int) -> Iterator[LineCore]:
    """Record flags and record reports, of packets and of texts in segments."""
    options: dict[str, Any] = {"records": DELIMITER, "record_report": True, "count": ("records", "bad-records")}
    yield LineCore(parameters("validator", lanes=lanes, **options, report_port="beside"), 0.05, 0.9)
    yield LineCore(parameters("sanitizer", lanes=lanes, errors="drop", **options, user=2), 0.3)
    yield LineCore(_pair("utf-16le", "utf-8", lanes, **options), 0.05, 0.8)
    flows: dict[str, Any] = {"records": DELIMITER, "count": ("bytes",), "flows": FLOWS, "id": (FLOWS - 1).bit_length()}
    yield LineCore(parameters("validator", lanes=lanes, **flows), 0.05)
    yield LineCore(_pair("utf-16le", "utf-8", lanes, **flows, null_bytes="anywhere"), 0.3)


def _pair(source: str, target: str, lanes: int, **options: Any) -> TranscoderParameters:
    core = TranscoderParameters(source, target, 1, sidebands=Sidebands(**options))
    return replace(core, lanes=min(lanes, core.most_lanes))


def line_round(seed: int, number: int) -> Round:
    """Round ``number`` of the soak of lines with that seed: the same on every machine."""
    core, stall, side = _with_stalls()[number]
    random = Random(f"lines {seed} {core!r}")
    stalls = Stalls(stall, stall, random.getrandbits(32), 0.3 if core.holes else 0.0, side, side)
    packets = packets_of_records(core, random)
    sent = packets if core.sidebands.flows is None else interleaved(packets, core, random)
    return Round(core, list(islice(sent, PACKETS)), stalls)


def packets_of_records(core: TranscoderParameters, random: Random) -> Iterator[bytes]:
    """Packets of records, without end."""
    sidebands = core.sidebands
    octet = next(each for each in (sidebands.split, sidebands.filter, sidebands.records) if each is not None)
    text = ENCODINGS["utf-8"] if core.reads.name == BYTES.name else core.reads
    delimiter = text.encode([octet])
    beat, longest = core.lanes, min(sidebands.longest or 0, 16 * core.lanes)
    sizes = ((0, 1, 2, 3, 4), (beat - 1, beat, beat + 1), (longest - 1, longest, longest + 1), (2 * beat - 1, 2 * beat),
             range(3 * beat + 8))
    characters = [coded(text, [scalar]) for scalar in EDGE_SCALARS if scalar > 0x7F]
    while True:
        records = []
        for _ in range(random.choice(RECORDS)):
            size = max(0, random.choice(random.choice(sizes)))
            records += [_record(text, size, beat, characters, random), delimiter]
        if records and random.random() < UNENDED:
            records.pop()
        yield b"".join(records)


def _record(text: Encoding, size: int, beat: int, characters: Sequence[bytes], random: Random) -> bytes:
    """A record of ``size`` units: letters, and some sequences, of which the record's end may cut off a part."""
    unit = text.unit_bytes
    found = text.encode([ord("a")]) * size
    for _ in range(random.choice(SEQUENCES)):
        piece = random.choice(characters if random.random() < WELL_FORMED else text.wrong)
        length = len(piece) // unit
        border = beat * random.randrange(1 + size // beat)
        at = unit * max(0, random.choice((0, size - random.randrange(length + 1), border - random.randrange(length + 1),
                                          random.randrange(size + 1))))
        found = (found[:at] + piece + found[at + len(piece) :])[: unit * size]
    return found
