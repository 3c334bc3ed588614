"""Python's codecs as an oracle: what a core should make of a packet, independent of the golden model.

`Encoding.oracle` names the codec of each encoding. Byte order marks are found here without the model's help.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from runewire_model import Encoding, TranscoderParameters
from runewire_model.report import Sidebands
from runewire_model.report_fields import COUNTERS, PacketText

MARKS = {
    "utf-8": {b"\xEF\xBB\xBF": "utf-8"}, "utf-16le": {b"\xFF\xFE": "utf-16le"}, "utf-16be": {b"\xFE\xFF": "utf-16be"},
    "utf-16": {b"\xFF\xFE": "utf-16le", b"\xFE\xFF": "utf-16be"}, "utf-32le": {b"\xFF\xFE\0\0": "utf-32le"},
    "utf-32be": {b"\0\0\xFE\xFF": "utf-32be"},
    "utf-32": {b"\xFF\xFE\0\0": "utf-32le", b"\0\0\xFE\xFF": "utf-32be"},
}
"""The byte order marks of a codec, and the codec for a packet that begins with one."""


def codec(encoding: Encoding, packet: bytes) -> tuple[str, bytes]:
    """The codec for a packet, big-endian without a byte order mark, and the packet's mark."""
    oracle = encoding.oracle
    # CPython's codecs utf-16 and utf-32 drop the mark, and without one assume this machine's byte order.
    usual = f"{oracle}be" if oracle in ("utf-16", "utf-32") else oracle
    marked = ((name, mark) for mark, name in MARKS.get(oracle, {}).items() if packet.startswith(mark))
    return next(marked, (usual, b""))


def reference(parameters: TranscoderParameters, packet: bytes) -> tuple[bytes, int | None]:
    """The output for a packet, and the offset of its first error in units, or None."""
    if parameters.filters:
        return b"".join(each.data for each in judged_records(parameters.sidebands, packet) if each.stays), None
    (source, mark), unit = codec(parameters.reads, packet), parameters.reads.unit_bytes
    sound, wrong = _sound(parameters, source, packet)
    offset = None if wrong is None else wrong // unit
    if parameters.target is None:
        return packet, offset
    handler = _handler(parameters)
    text = _marked(parameters, mark, sound if wrong is None else _text(parameters, source, packet))
    target, _ = codec(parameters.writes, b"")
    stripped = parameters.bom == "strip" and bool(mark)
    kept = sound[stripped:]
    try:
        output = kept.encode(target)
    except UnicodeEncodeError as error:
        offset = len(sound[: stripped + error.start].encode(source)) // unit
        return text.encode(target, handler), offset
    return output if text == kept else text.encode(target, handler), offset


class JudgedRecord(NamedTuple):
    """A record of a filter's packet. ``offset``: of its first error from the record's start, None without one."""

    data: bytes
    offset: int | None
    long: bool

    @property
    def stays(self) -> bool:
        """Whether the record is well-formed and fits into the buffer."""
        return self.offset is None and not self.long


def judged_records(sidebands: Sidebands, packet: bytes) -> Iterator[JudgedRecord]:
    """The records of a filter's packet."""
    for record in _records(packet, bytes([sidebands.filter or 0])):
        try:
            record.decode()
            offset = None
        except UnicodeDecodeError as error:
            offset = error.start
        yield JudgedRecord(record, offset, len(record) > (sidebands.longest or 0))


def split_packets(sidebands: Sidebands, packet: bytes) -> Iterator[tuple[bytes, bool]]:
    """The packets that a splitter makes of a packet, each with whether its record continues in the next one."""
    delimiter = bytes([sidebands.split or 0])
    for record in _records(packet, delimiter):
        if sidebands.empty == "drop" and record == delimiter:
            continue
        data = record if sidebands.delimiter == "keep" else record.removesuffix(delimiter)
        size = sidebands.longest or len(data)
        while len(data) > size:
            yield data[:size], True
            data = data[size:]
        yield data, False


def _records(packet: bytes, delimiter: bytes) -> list[bytes]:
    """The records of a packet, each with its delimiter; the last one may lack it."""
    *whole, rest = packet.split(delimiter)
    return [*(each + delimiter for each in whole), *([rest] if rest else [])]


def _sound(parameters: TranscoderParameters, source: str, packet: bytes) -> tuple[str, int | None]:
    """The text of a packet before its first error, and the error's offset in bytes, or None."""
    wrong = None
    try:
        text = packet.decode(source)
    except UnicodeDecodeError as error:
        text, wrong = packet[: error.start].decode(source), error.start
    if parameters.reject_nul and "\0" in text:
        text = text[: text.index("\0")]
        wrong = len(text.encode(source))
    return text, wrong


ILL_FORMED = "\uDC80"
"""The mark of an ill-formed subpart: a character that no codec decodes to."""


def _text(parameters: TranscoderParameters, source: str, packet: bytes) -> str:
    """The text of a packet, with its ill-formed subparts replaced or left out."""
    if parameters.errors == "drop":
        return _with(parameters, source, packet, "")
    stand_in = "\uFFFD" if parameters.replacement is None else chr(parameters.replacement)
    return _with(parameters, source, packet, stand_in, runs=parameters.replace_runs)


def _with(parameters: TranscoderParameters, source: str, packet: bytes, stand_in: str, *, runs: bool = False) -> str:
    """The text of a packet, with ``stand_in`` for each ill-formed subpart, or for each of their ``runs``."""
    text = packet.decode(source, MARKER)
    if parameters.reject_nul:
        text = text.replace("\0", ILL_FORMED)
    return re.sub(f"{ILL_FORMED}+" if runs else ILL_FORMED, stand_in, text)


MARKER = "runewire-ill-formed"
"""The name of CPython's error handler that puts `ILL_FORMED` for each subpart."""
codecs.register_error(MARKER, lambda error: (ILL_FORMED, getattr(error, "end")))  # noqa: B009


def _marked(parameters: TranscoderParameters, mark: bytes, text: str) -> str:
    """The text with its byte order mark kept, stripped or added; the packet begins with ``mark``."""
    # Only a byte order mark in the bytes is one: U+FEFF comes from nothing else.
    if parameters.bom == "strip" and mark:
        return text[1:]
    return f"\N{BOM}{text}" if parameters.bom == "add" and not mark else text


def _handler(parameters: TranscoderParameters) -> str:
    """The name of CPython's error handler for scalars that the target lacks."""
    byte = parameters.replacement
    if parameters.errors == "drop" or byte is None:
        return "replace" if parameters.errors == "replace" else "ignore"
    name = f"runewire-{byte:02X}"

    def stand_in(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        return chr(byte) * (error.end - error.start), error.end

    codecs.register_error(name, stand_in)
    return name


def _split(packet: bytes, unit: bytes) -> list[bytes]:
    """The records of a packet, without their delimiter, a ``unit`` at any place of a unit."""
    size = len(unit)
    ends = [at for at in range(0, len(packet) - size + 1, size) if packet[at : at + size] == unit]
    starts = [0, *(at + size for at in ends)]
    return [packet[start:end] for start, end in zip(starts, [*ends, len(packet)], strict=True)
            if end < len(packet) or start < end]


def record_errors(parameters: TranscoderParameters, packet: bytes) -> list[int | None]:
    """For each record of a packet, the offset of its first error in units from the record's start, or None."""
    delimiter = parameters.sidebands.records
    if delimiter is None:
        return []
    source, mark = codec(parameters.reads, packet)
    return [_first_error(parameters, source, b"" if at else mark, text)
            for at, text in enumerate(_split(packet, chr(delimiter).encode(source)))]


def _first_error(parameters: TranscoderParameters, source: str, mark: bytes, packet: bytes) -> int | None:
    """The offset of the first error in units, of a packet or record that begins with ``mark``, or None."""
    sound, wrong = _sound(parameters, source, packet)
    if parameters.target is not None:
        stripped = parameters.bom == "strip" and bool(mark)
        try:
            sound[stripped:].encode(codec(parameters.writes, b"")[0])
        except UnicodeEncodeError as error:
            wrong = len(sound[: stripped + error.start].encode(source))
    return None if wrong is None else wrong // parameters.reads.unit_bytes


def reference_sidebands(parameters: TranscoderParameters, packet: bytes) -> tuple[dict[str, int], tuple[bool, ...]]:
    """The packet's counters that the core has, and for each record whether it is ill-formed."""
    sidebands = parameters.sidebands
    source, mark = codec(parameters.reads, packet)
    records = [error is not None for error in record_errors(parameters, packet)]
    if parameters.filters:
        return {"rejected": sum(not each.stays for each in judged_records(sidebands, packet))}, ()
    if not sidebands.count:
        return {}, tuple(records)
    text, wrong = _sound(parameters, source, packet)
    dropped = kept = text
    if wrong is not None:
        text, dropped = (_with(parameters, source, packet, stand_in) for stand_in in ("\uFFFD", ""))
        kept = _text(parameters, source, packet)
    kept = _marked(parameters, mark, kept)
    counts = {
        "code-points": len(kept), "utf16-units": len(kept.encode("utf-16-le")) // 2, "bytes": len(packet),
        "replacements": len(text) - len(dropped), "records": len(records), "bad-records": sum(records),
    }
    if not counts.keys() >= {*sidebands.count}:
        # Of the rest the oracle reads the text, and the registry counts.
        characters = _with(replace(parameters, reject_nul=False), source, packet, "")
        read = PacketText(packet, [*map(ord, kept)], [*map(ord, text)], [*map(ord, dropped)],
                          [*map(ord, characters)], records)
        counts = {counter.name: counter.value(read) for counter in COUNTERS.values()} | counts
    return {COUNTERS[name].field: counts[name] for name in sidebands.count}, tuple(records)
