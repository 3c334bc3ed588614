"""Rounds of a soak of texts in segments: flows interleaved, texts cut anywhere, one round for each core.

Two cores of each source and width: one converts, has many flows and takes null bytes anywhere; the other checks the
texts of a single flow. Further cores are `OTHERS`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from runewire_model import ENCODINGS, TranscoderParameters
from runewire_model.report import Sidebands

from ..interleaving import FLOWS, interleaved
from ..stalls import Stalls
from ..stimuli import random_packets, troublemakers, with_records
from .rounds import Round

LANES = (1, 8, 64)
"""Widths; a core that cannot have as many lanes has as many as it can."""
TEXTS = 5_000
"""Random texts of each core."""
MARKED = 0.3
"""How often a text gets a byte order mark; some random texts of BOM-ordered encodings have one already."""

OTHERS = (
    TranscoderParameters("utf-8", "utf-16le", 8, bom="add", sidebands=Sidebands(
        flows=FLOWS, id=(FLOWS - 1).bit_length(), count=("code-points",))),
    TranscoderParameters("utf-8", None, 8, sidebands=Sidebands(
        flows=FLOWS, id=(FLOWS - 1).bit_length(), records=0x0A, record_report=True, count=("records", "bad-records"))))
"""Cores with options that the others lack: an added byte order mark; a record report."""


@cache
def segment_cores() -> Sequence[TranscoderParameters]:
    """The cores, narrow ones first."""
    sources = [name for name, encoding in ENCODINGS.items() if encoding.unit_bytes > 1 or name == "utf-8"]
    return (*(core for lanes in LANES for source in sources for core in (_converting(source, lanes),
                                                                         _checking(source, lanes))), *OTHERS)


def _converting(source: str, lanes: int) -> TranscoderParameters:
    """A core of many flows, whose beats may have holes. It strips marks at some widths."""
    core = TranscoderParameters(
        source, "utf-32le" if source == "utf-8" else "utf-8", 1, bom="strip" if lanes > 1 else "keep",
        sidebands=Sidebands(flows=FLOWS, id=(FLOWS - 1).bit_length(), null_bytes="anywhere",
                            count=("code-points", "replacements", "bytes")))
    return replace(core, lanes=min(lanes, core.most_lanes))


def _checking(source: str, lanes: int) -> TranscoderParameters:
    """A validator of a single flow, whose beats are full."""
    return TranscoderParameters(source, None, lanes, sidebands=Sidebands(flows=1))


def segment_round(seed: int, number: int) -> Round:
    """Round ``number`` of the soak of segments with that seed: the same on every machine."""
    core = segment_cores()[number]
    random = Random(f"segments {seed} {core!r}")
    probability = random.choice((0.0, 0.05, 0.3))
    stalls = Stalls(probability, probability, random.getrandbits(32), random.choice((0.05, 0.3)) if core.holes else 0.0)
    return Round(core, list(interleaved(_texts(core, random), core, random)), stalls)


def _texts(core: TranscoderParameters, random: Random) -> Iterator[bytes]:
    """The known troublemakers and the random texts of a core."""
    reads = core.reads
    marks = [mark for order in reads.orders for mark in order.byte_order_marks]
    longest, delimiter = 3 * core.lanes + 8, core.sidebands.records
    for text in (*troublemakers(reads).values(), *reads.wrong,
                 *random_packets(core, TEXTS, random.getrandbits(32), longest)):
        text = text if delimiter is None else with_records(random, text, core.input_bytes, bytes([delimiter]))
        yield random.choice(marks) + text if random.random() < MARKED else text
