"""A packet that is typed, and what a core would put out and report: the golden model's answer."""

import re
from typing import Any

from runewire_model import ParameterError, TranscoderParameters
from runewire_model.records import split_records
from runewire_model.splitting import record_packets

RAW = re.compile(r"\\x([0-9A-Fa-f]{2})")
"""A byte in a text that is no text."""
BETWEEN = re.compile(r"0x|\\x|[\s,;:]+", re.IGNORECASE)
"""Signs between and before bytes in hex."""


def packet(core: TranscoderParameters, text: str, *, is_hex: bool) -> bytes:
    r"""The packet that ``text`` means: bytes in hex, or text in the core's source encoding with raw bytes as ``\xE2``.

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
    for scalar in scalars:
        if scalar > core.reads.greatest:
            raise ParameterError(f"{core.reads} has no {chr(scalar)} (U+{scalar:04X})")
    return core.reads.encode(scalars)


def answer(core: TranscoderParameters, content: bytes) -> dict[str, Any]:
    """The golden answer to a packet, ready for JSON: the output, the first error, and the report's fields."""
    if core.splits:
        return _split_answer(core, content)
    result, side = core.compute(content), core.sidebands
    report = side.pack(result.error, result.counts)
    error = result.error
    return {
        "packet": content.hex(" ").upper(),
        "output": result.output.hex(" ").upper(),
        "text": "".join(map(chr, core.writes.decode(result.output))),
        "bytes": [len(content), len(result.output)],
        "checked": not core.moves_bytes,
        "error": None if error is None else {
            "kind": error.kind.name, "offset": error.offset, "unit": core.reads.unit,
            "at": error.offset * core.reads.unit_bytes, "unit_bytes": core.reads.unit_bytes},
        "fields": [{"name": field.name, "bits": f"{field.lsb + field.width - 1}:{field.lsb}" if field.width > 1
                    else str(field.lsb), "value": report >> field.lsb & (1 << field.width) - 1, "text": field.text}
                   for field in side.told],
        "records": [*result.records],
    } | _rejected(core, content)


def _rejected(core: TranscoderParameters, content: bytes) -> dict[str, Any]:
    """For each record of a filter's packet, whether it is rejected."""
    if core.sidebands.filter is None:
        return {}
    wrong = {reject.record for reject in core.rejects(content)}
    return {"records": [at in wrong for at, _ in enumerate(split_records(content, core.sidebands.filter))]}


def _split_answer(core: TranscoderParameters, content: bytes) -> dict[str, Any]:
    """The golden answers of a core that splits: their outputs next to each other, and the first error of any."""
    found = [answer(core.behind, record.data) for record in record_packets(content, core.sidebands)]
    wrong = next((each for each in found if each["error"] is not None), None)
    return {
        "packet": content.hex(" ").upper(),
        "output": " | ".join(each["output"] for each in found),
        "text": "\n".join(each["text"].rstrip("\n") for each in found),
        "bytes": [len(content), sum(each["bytes"][1] for each in found)],
        "checked": not core.moves_bytes,
        "error": None if wrong is None else wrong["error"],
        "fields": [], "records": [],
    }
