"""A packet that is typed, and what a core would put out and report: the golden model's answer."""

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from runewire_model import Encoding, FirstError, ParameterError, TranscoderParameters
from runewire_model.filtering import TEXT
from runewire_model.records import split_records
from runewire_model.splitting import record_packets

RAW = re.compile(r"\\x([0-9A-Fa-f]{2})")
"""A byte in a text that is no text."""
BETWEEN = re.compile(r"0x|\\x|[\s,;:]+", re.IGNORECASE)
"""Signs between and before bytes in hex."""


def packet(core: TranscoderParameters, text: str, *, is_hex: bool) -> bytes:
    r"""The packet that ``text`` means: bytes in hex, or text in the core's source encoding with raw bytes as ``\xE2``.
    Text for a core that moves bytes is UTF-8.

    Raises ParameterError for what is no hex, and for a character that the encoding lacks.
    """
    if is_hex:
        digits = BETWEEN.sub("", text)
        wrong = re.search(r"[^0-9A-Fa-f]", digits)
        if wrong:
            raise ParameterError(f"{wrong[0]!r} is no hex digit")
        if len(digits) % 2:
            raise ParameterError(f"an odd number of hex digits, {len(digits)}")
        return bytes.fromhex(digits)
    found = bytearray()
    for index, piece in enumerate(RAW.split(text)):
        found += bytes.fromhex(piece) if index % 2 else _encoded(core, piece)
    return bytes(found)


def _encoded(core: TranscoderParameters, text: str) -> bytes:
    # A text field of a browser may hold half of a surrogate pair.
    scalars = [0xFFFD if 0xD800 <= ord(character) <= 0xDFFF else ord(character) for character in text]
    reads = _text_encoding(core, core.reads)
    for scalar in scalars:
        if scalar > reads.greatest:
            raise ParameterError(f"{reads} has no {chr(scalar)} (U+{scalar:04X})")
    return reads.encode(scalars)


def _text_encoding(core: TranscoderParameters, encoding: Encoding) -> Encoding:
    """The encoding of people's texts at a core's port of ``encoding``: UTF-8 if the core moves bytes."""
    return TEXT if core.moves_bytes else encoding


def answer(core: TranscoderParameters, content: bytes) -> dict[str, Any]:
    """The golden answer to a packet, ready for JSON.

    ``marks``: start and end of each erroneous unit, in bytes of the packet. ``packets``, ``rejects``, ``bad_records``:
    as in the results of `runewire simulate`; each is there if the core has such packets or such a port.
    """
    found = _split_answer(core, content) if core.splits else _one_answer(core, content)
    return found | {"packet": _hex(content), "unit": core.reads.unit, "filters": core.filters}


def _one_answer(core: TranscoderParameters, content: bytes) -> dict[str, Any]:
    """The answer of a core whose packets stay one: output, report, and what it says of each record."""
    result, side = core.compute(content), core.sidebands
    report = side.pack(result.error, result.counts)
    records = list(result.records)
    errors = [] if result.error is None else [(0, result.error)]
    found: dict[str, Any] = {
        "output": _hex(result.output), "text": _text(core, result.output), "bytes": [len(content), len(result.output)],
        "verdict": _verdict(core, result.error),
        "fields": [{"name": field.name, "bits": f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1
                    else str(field.lsb), "value": report >> field.lsb & (1 << field.width) - 1, "text": field.text}
                   for field in side.told],
    }
    if side.record_report:
        assert side.records is not None
        starts = _starts(split_records(content, side.records, core.reads))
        errors += [(starts[each.record], FirstError(each.kind, each.offset)) for each in result.bad_records]
        found["bad_records"] = [{"record": each.record, "kind": each.kind.name, "offset": each.offset}
                                for each in result.bad_records]
    if side.filter is not None:
        rejects = core.rejects(content)
        starts = _starts(split_records(content, side.filter))
        records = [number in {each.record for each in rejects} for number in range(len(starts) - 1)]
        found["verdict"] = _verdict_of_filter(len(rejects), len(records))
        if side.rejects:
            errors += [(starts[each.record], each.error) for each in rejects if each.error is not None]
            found["rejects"] = [{"rejected": _hex(each.data), "record": each.record, "error": _error(each.error),
                                 "long": each.long} for each in rejects]
    return found | {"records": records, "marks": _marks(core, errors)}


def _split_answer(core: TranscoderParameters, content: bytes) -> dict[str, Any]:
    """The answers of a core that splits, next to each other."""
    behind, packets = core.behind, [*record_packets(content, core.sidebands)]
    results = [behind.compute(each.data) for each in packets]
    errors = [(each.first, result.error) for each, result in zip(packets, results, strict=True) if result.error]
    number = next((number for number, result in enumerate(results) if result.error), None)
    return {
        "output": " | ".join(_hex(result.output) for result in results),
        "text": "\n".join(_text(core, result.output).rstrip("\n") for result in results),
        "bytes": [len(content), sum(len(result.output) for result in results)],
        "verdict": _verdict(core, None if number is None else results[number].error, f" of packet {number}"),
        "fields": [], "records": [], "marks": _marks(core, errors),
        "packets": [{"output": _hex(result.output), "record": each.record, "cut": each.cut,
                     **({} if core.moves_bytes else {"error": _error(result.error)})}
                    for each, result in zip(packets, results, strict=True)],
    }


def _verdict(core: TranscoderParameters, error: FirstError | None, of: str = "") -> list[str]:
    """The packet's verdict: "good", "bad" or "note", and a sentence. ``of``: the packet in which the error is."""
    if core.moves_bytes:
        return ["note", f"The {core.core} moves bytes and checks none"]
    if error is None:
        return ["good", "No error in the packet"]
    return ["bad", f"Bad packet: {error.kind.name} at {core.reads.unit} {error.offset}{of}"]


def _verdict_of_filter(rejected: int, records: int) -> list[str]:
    """The same for a filter's packet of so many records."""
    if not rejected:
        return ["good", "No record is rejected"]
    return ["bad", f"{rejected} of {records} record{'s are' if records > 1 else ' is'} rejected"]


def _starts(records: Iterable[bytes]) -> list[int]:
    """The place of each record's first byte, and the end of the last one."""
    return [0, *accumulate(map(len, records))]


def _marks(core: TranscoderParameters, errors: Iterable[tuple[int, FirstError]]) -> list[list[int]]:
    """The bytes of the unit at each error, which is at an offset from a place, in order."""
    width = core.reads.unit_bytes
    places = sorted({start + error.offset * width for start, error in errors})
    return [[place, place + width] for place in places]


def _error(error: FirstError | None) -> dict[str, Any] | None:
    return None if error is None else {"kind": error.kind.name, "offset": error.offset}


def _hex(content: bytes) -> str:
    return content.hex(" ").upper()


def _text(core: TranscoderParameters, output: bytes) -> str:
    return "".join(map(chr, _text_encoding(core, core.writes).decode(output)))
