"""The golden answer of a core to a packet: the text in the target's encoding, the first error, counters, records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .byte_order_mark import BYTE_ORDER_MARK
from .encodings import ENCODINGS, Encoding
from .errors import ErrorKind, FirstError, check_bytes
from .filtering import filtered
from .moved_records import bad_moved_records, moved_records
from .records import BadRecord, bad_records, ill_formed_records
from .report_fields import COUNTERS, PacketText
from .scalars import REPLACEMENT

if TYPE_CHECKING:
    from .transcoder import TranscoderParameters


@dataclass(frozen=True)
class PacketResult:
    """A core's answer to one packet: the output bytes and the first error.

    ``counts``: the requested counters. ``records``: for each record, whether it is ill-formed. ``bad_records``: the
    ill-formed ones, for a core that reports them.
    """

    output: bytes
    error: FirstError | None
    counts: Mapping[str, int] = field(default_factory=dict, hash=False)
    records: tuple[bool, ...] = ()
    bad_records: tuple[BadRecord, ...] = ()


def answer(core: TranscoderParameters, packet: bytes, *, in_run: bool = False) -> PacketResult:
    """The golden answer: the packet in the target's encoding, and its first error (offset in units). ``in_run``: the
    text before the packet ends with an ill-formed subpart, so a run may continue."""
    check_bytes("packet", packet)
    if core.filters:
        output, rejects = filtered(packet, core.sidebands)
        return PacketResult(output, None, {"rejected": len(rejects)})
    error = core.reads.first_error(packet)
    output = packet
    if core.target is not None:
        scalars = _scalars(core, packet, in_run)
        if core.writes.greatest < REPLACEMENT:
            error = _first_unfit(core, packet, error) or error
            scalars = _fitted(core, scalars)
        output = core.mark + core.writes.encode(scalars)
    records, bad = _records(core, packet)
    return PacketResult(output, error, _counts(core, packet, records, in_run), records, bad)


def _records(core: TranscoderParameters, packet: bytes) -> tuple[tuple[bool, ...], tuple[BadRecord, ...]]:
    """For each record of a packet whether it is ill-formed; and the ill-formed ones, for a core that reports them."""
    delimiter, reports = core.sidebands.records, core.sidebands.record_report
    if delimiter is None:
        return (), ()
    if core.target is not None:
        records = tuple(record.error is not None for record in moved_records(core, packet))
        return records, tuple(bad_moved_records(core, packet)) if reports else ()
    return (ill_formed_records(core.reads, packet, delimiter),
            bad_records(core.reads, packet, delimiter) if reports else ())


def _scalars(core: TranscoderParameters, packet: bytes, in_run: bool) -> list[int]:
    """The scalars of a packet, after replacement or removal of ill-formed subparts."""
    scalars = core.reads.decode(packet, core.errors, core.text_bom)
    if core.replacement is None and not core.replace_runs:
        return scalars
    fine = _well_formed(core, packet)
    other = REPLACEMENT if core.replacement is None else core.replacement
    stay = _stays(core, fine, in_run)
    return [scalar if whole else other for scalar, whole, stays in zip(scalars, fine, stay, strict=True) if stays]


def ends_in_run(core: TranscoderParameters, packet: bytes, *, in_run: bool) -> bool:
    """Whether the text ends with an ill-formed subpart after a packet; ``in_run``: before it."""
    fine = _well_formed(core, packet)
    return not fine[-1] if fine else in_run


def _well_formed(core: TranscoderParameters, packet: bytes) -> list[int]:
    """For each scalar of a packet, U+FFFD included, whether its sequence is well-formed."""
    whole, every = (core.reads.ends(packet, errors, core.text_bom) for errors in ("drop", "replace"))
    return [fine for fine, end in zip(whole, every, strict=True) if end]


def _stays(core: TranscoderParameters, fine: Sequence[int], in_run: bool) -> list[bool]:
    """For each scalar, whether it is output: with ``replace_runs`` a run of ill-formed subparts has one replacement, in
    the place of its first subpart. ``fine``: as `_well_formed` gives it."""
    pairs = zip(fine, [not in_run, *fine], strict=False)
    return [bool(whole or before or not core.replace_runs) for whole, before in pairs]


def _counts(core: TranscoderParameters, packet: bytes, records: tuple[bool, ...], in_run: bool) -> dict[str, int]:
    """The requested counters, by the names of their fields."""
    if not core.sidebands.count:
        return {}
    scalars = _scalars(core, packet, in_run)
    if core.mark:
        scalars = [BYTE_ORDER_MARK, *scalars]
    replaced, well_formed = (core.reads.decode(packet, errors) for errors in ("replace", "drop"))
    characters = ENCODINGS[core.source].decode(packet, "drop") if core.reject_nul else well_formed
    text = PacketText(packet, scalars, replaced, well_formed, characters, records)
    counters = (COUNTERS[name] for name in core.sidebands.count)
    return {counter.field: counter.value(text) for counter in counters}


def lane_units(core: TranscoderParameters, packet: bytes, *, in_run: bool = False) -> Sequence[int]:
    """For each unit of a packet, the number of target units in its lane, without an added mark. ``in_run`` as for
    `answer`.

    All units of a scalar are in the lane of its last source unit, except in the fused `PAIRS`.
    """
    units = _each_lane(core, packet)
    if not core.replace_runs:
        return units
    stays = iter(_stays(core, _well_formed(core, packet), in_run))
    ends = core.reads.ends(packet, core.errors, core.text_bom)
    return [0 if end and not next(stays) else made for made, end in zip(units, ends, strict=True)]


def _each_lane(core: TranscoderParameters, packet: bytes) -> Sequence[int]:
    """The same, with a replacement for each ill-formed subpart."""
    if core.fused is not None:
        return core.fused.made(core.reads, packet, core.errors, core.text_bom)
    ends = core.reads.ends(packet, core.errors, core.text_bom)
    if core.writes.most_units == 1 and not (core.narrows and core.errors == "drop"):
        return ends
    scalars = iter(core.reads.decode(packet, core.errors, core.text_bom))
    return [sum(units_of(core.writes, each) for each in _fitted(core, [next(scalars)])) if end else 0 for end in ends]


def units_of(encoding: Encoding, scalar: int) -> int:
    """Units of a scalar in an encoding."""
    return encoding.units(len(encoding.encode([scalar])))


def _fitted(core: TranscoderParameters, scalars: Sequence[int]) -> list[int]:
    """The scalars, with those that the target lacks replaced or left out."""
    target = core.writes
    other = target.replacement if core.replacement is None else core.replacement
    fitting = (scalar if scalar <= target.greatest else other for scalar in scalars)
    if core.errors == "replace":
        return [*fitting]
    return [scalar for scalar in scalars if scalar <= target.greatest]


def _first_unfit(core: TranscoderParameters, packet: bytes, error: FirstError | None) -> FirstError | None:
    """The first scalar that the target lacks, before the source's first error."""
    source = core.reads
    text = packet if error is None else packet[: error.offset * source.unit_bytes]
    scalars = source.decode(text, bom=core.text_bom)
    for at, scalar in enumerate(scalars):
        if scalar > core.writes.greatest:
            return FirstError(ErrorKind.TOO_LARGE, source.units(len(text) - len(source.encode(scalars[at:]))))
    return None
