"""Packets for mutants of cores with records: lengths around a limit, and more records than a counter counts."""

from __future__ import annotations

from collections.abc import Iterator

from runewire_model import Encoding, TranscoderParameters
from runewire_model.filtering import TEXT
from runewire_model.report import PACKET_WIDTH

MOST_COUNTED = 16
"""Greatest width of a counter of records that a trial saturates: 65,536 records take as many cycles at most."""
MOST_LONG = 1 << 16
"""Greatest ``longest`` of which a trial sends longer records."""


def delimiter_of(parameters: TranscoderParameters) -> int | None:
    """The unit that ends a record, for cores with records, that split, and the filter."""
    sidebands = parameters.sidebands
    found = (sidebands.records, sidebands.split, sidebands.filter)
    return next((each for each in found if each is not None), None)


def text_of(parameters: TranscoderParameters) -> Encoding:
    """The encoding in which a core finds errors."""
    return TEXT if parameters.filters else parameters.reads


def long_records(parameters: TranscoderParameters) -> Iterator[bytes]:
    """Records with lengths around a beat and around ``longest``: well-formed, and with an error at either end.

    Each packet has a short record, the long one, and another short one, with and without a delimiter at its end.
    """
    encoding, delimiter = text_of(parameters), delimiter_of(parameters)
    assert delimiter is not None
    letter, end = encoding.encode([ord("b") if delimiter == ord("a") else ord("a")]), encoding.encode([delimiter])
    beat, longest = parameters.lanes, parameters.sidebands.longest
    limits = {beat, 2 * beat, 64, *([longest, 2 * longest] if longest and longest <= MOST_LONG else [])}
    errors = [each for each in encoding.wrong if end not in each][:2] or [letter]
    for size in sorted({limit + step for limit in limits for step in (-2, -1, 0, 1)} - {0, -1}):
        text = letter * size
        for record in (text, *(error + text for error in errors), *(text + error for error in errors)):
            yield letter + end + record + end + letter
            yield record + end


def counted_records(parameters: TranscoderParameters) -> Iterator[list[bytes]]:
    """Packets that saturate the numbers of a record report, if they have at most `MOST_COUNTED` bits: records of a
    packet, bytes of a record, and packets."""
    sidebands, encoding = parameters.sidebands, parameters.reads
    if not sidebands.record_report or sidebands.offset_bits > MOST_COUNTED or not encoding.wrong:
        return
    delimiter = delimiter_of(parameters)
    assert delimiter is not None
    end, wrong = encoding.encode([delimiter]), encoding.wrong[0]
    most = 1 << sidebands.offset_bits
    letter = encoding.encode([ord("b") if delimiter == ord("a") else ord("a")])
    yield [(wrong + end) * 300 + end * most + (wrong + end) * 300]
    yield [letter * size + wrong + end + wrong for step in range(-2, 3) for size in [most + step]]
    yield [wrong] * 100 + [letter] * ((1 << PACKET_WIDTH) - 200) + [wrong] * 200
