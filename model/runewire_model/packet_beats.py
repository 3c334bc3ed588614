"""The effect of each beat of a packet inside a core: the rows that it fills, for the cycle model.

Dense rows of four lanes, and a packet whose beats have 3, 4 and 2 items:

    items        3    4    2
    under way    3    3    1
    rows         -    1    2    the last beat fills one, and its rest is the packet's last
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .core_front import parts_of_filter
from .errors import ParameterError
from .flow import Answered, Flow
from .record_buffer import HOLLOW, buffer_rows
from .records import ends_with, split_records
from .splitting import record_packets
from .transcoder import TranscoderParameters

Packet = bytes | int | list[bytes]
"""A packet's input bytes; if units stay in place, its length is enough. A list: the kept bytes of each of its beats, if
null bytes may be anywhere."""


SKID_FAMILIES = ("gowin-5a", "xilinx-7")
"""Families whose wide cores have a skid buffer at the output."""

SKID_LANES = 64
"""Lanes from which these cores have it."""


class SegmentPacket(NamedTuple):
    """A packet of a core with flows: a segment of a flow's text. ``more``: the text continues."""

    packet: bytes | list[bytes]
    flow: int = 0
    more: bool = False


MOST_CARRIED = 3
"""Bytes that a segment leaves to its flow's next one at most."""


MOST_QUEUED = 16
"""Units in a row of a core with a queue of segments, at most: wider ones need more than 32 rows in any case."""


class Beat(NamedTuple):
    """The effect of one input beat. ``last``: it is its packet's last. ``rows``: one entry per completed row, the
    cycles by which its push is late, 0 or 1. ``returns``: the beat returns its credit. ``mark``: it is a byte order
    mark that the core adds, not a beat of the input. A splitter's beats are turns of its input beats: ``leaves``: the
    turn is its beat's last. ``idle``: it has no row, and needs no credit. Of segments, ``ends``: it is the packet's
    last at the input, or ``extra``: a beat that follows that one inside the core. ``dropped``: it is left out."""

    last: bool
    rows: tuple[int, ...]
    returns: bool
    mark: bool = False
    leaves: bool = True
    idle: bool = False
    ends: bool = False
    extra: bool = False
    dropped: bool = False


def _in_place(count: int) -> Iterator[Beat]:
    """The beats of a packet of ``count`` beats, one row each."""
    for left in range(count - 1, -1, -1):
        yield Beat(left == 0, (0,), returns=False)


def _packed(items: list[int], lanes: int) -> Iterator[Beat]:
    """The beats of a packet, with these numbers of ``items``, packed into rows of ``lanes``."""
    under_way = 0
    all_full = True
    for left, count in zip(range(len(items) - 1, -1, -1), items, strict=True):
        last = left == 0
        under_way += count
        # A last beat that exactly fills the row ends one row, not two.
        fills = under_way > lanes if last else under_way >= lanes
        under_way %= lanes
        full = (int(all_full),) if fills else ()
        yield Beat(last, (*full, 1) if last else full, returns=not all_full and not fills)
        all_full = all_full and fills


def packet_beats(parameters: TranscoderParameters, packet: Packet, count: int | None = None) -> Iterator[Beat]:
    """The beats of a packet, after the beat of an added mark. ``count``: their number, if the last may be empty."""
    beats = _text(parameters, packet, count)
    if parameters.mark:
        yield next(beats)._replace(mark=True)
    yield from beats


def _text(parameters: TranscoderParameters, packet: Packet, count: int | None) -> Iterator[Beat]:
    """The beats of a packet. A length is enough if the bytes do not matter."""
    size, width, marks = packet_size(packet), parameters.input_bytes, int(bool(parameters.mark))
    usual = max(1, -(-size // width))
    if parameters.packs_bytes:
        sizes = map(len, packet) if isinstance(packet, list) else (min(width, size - at * width) for at in range(usual))
        return _packed([*sizes], width)
    if parameters.in_place:
        return _in_place((count or usual) + marks)
    made = _units_made(parameters, packet_bytes(parameters, packet))
    return _packed(made + [0] * ((count or usual) - usual), parameters.lanes * parameters.slots)


def turns(parameters: TranscoderParameters, packet: bytes, count: int) -> Iterator[Beat]:
    """The turns of a splitter's ``count`` input beats: one for each row that a beat ends, and at least one."""
    width, keeps = parameters.input_bytes, parameters.sidebands.delimiter == "keep"
    found: list[list[bool]] = [[] for _ in range(count)]
    for record in record_packets(packet, parameters.sidebands):
        for stop in range(width, len(record.data), width):
            # A full row is known with its last byte, or if delimiters are dropped with the byte after it.
            found[(record.first + stop - int(keeps)) // width].append(False)
        # The cut of a record is such a row too.
        found[(record.last + int(record.cut and not keeps)) // width].append(True)
    for rows in found:
        for left, last in zip(range(len(rows) - 1, -1, -1), rows, strict=True):
            yield Beat(last, (0,), returns=False, leaves=left == 0)
        if not rows:
            yield Beat(False, (), returns=False, idle=True)


def report_turns(beats: Iterable[Beat], bad_ends: Iterable[int]) -> Iterator[Beat]:
    """The turns of a record report for the ``beats`` of a packet: one for each ill-formed record that ends in a beat,
    and at least one. ``bad_ends``: the numbers of these beats, one for each such record; -1 is the last beat."""
    counts = [0 for beat in beats if not beat.dropped]
    for end in bad_ends:
        counts[end] += 1
    for count in counts:
        for left in range(count - 1, -1, -1):
            yield Beat(True, (0,), returns=False, leaves=left == 0)
        if not count:
            yield Beat(False, (), returns=False, idle=True)


def _bad_ends(parameters: TranscoderParameters, packet: bytes) -> Iterator[int]:
    """For each ill-formed record of a packet the number of the beat in which it ends."""
    assert parameters.sidebands.records is not None
    records = split_records(packet, parameters.sidebands.records, parameters.reads)
    stop = int(bool(parameters.mark)) * parameters.input_bytes
    for record, bad in zip(records, parameters.compute(packet).records, strict=True):
        stop += len(record)
        if bad:
            yield (stop - 1) // parameters.input_bytes


def _bad_ends_of_segment(parameters: TranscoderParameters, answered: Answered, flags: Sequence[bool]) -> Iterator[int]:
    """The same for a segment. ``flags``: whether each record that ends in it is ill-formed. A text's last record
    without delimiter ends with the segment's last beat."""
    assert parameters.sidebands.records is not None
    reads, piece, delimiter = answered.core.reads, answered.piece, parameters.sidebands.records
    # The beat before the text is left out if it has no mark and units stay in place.
    marks = parameters.mark_beats if answered.core.mark_units or not parameters.in_place else 0
    stop = marks * parameters.input_bytes
    ends = []
    for record in split_records(piece, delimiter, reads):
        stop += len(record)
        ends.append((stop - 1) // parameters.input_bytes if ends_with(reads.order_of(piece), record, delimiter) else -1)
    for end, bad in zip(ends or [-1], flags, strict=False):
        if bad:
            yield end


def beats_on_the_way(parameters: TranscoderParameters, packet: Packet) -> list[list[Beat]]:
    """The beats of a packet at each core of its way: packer, the two halves of a splitter, and the core itself. Of a
    filter these are its parts, without the record buffer. A record report has the turns of the core's beats."""
    count, found = None, []
    if parameters.packer is not None:
        found.append([*packet_beats(parameters.packer, packet)])
        count = sum(len(beat.rows) for beat in found[0])
    if parameters.filters:
        return [*found, *_through_filter(parameters, packet_bytes(parameters, packet), count)]
    if not parameters.splits:
        beats = [*packet_beats(parameters, packet, count)]
        found.append(beats)
        if parameters.sidebands.record_report:
            found.append([*report_turns(beats, _bad_ends(parameters, packet_bytes(parameters, packet)))])
        return found
    data = packet_bytes(parameters, packet)
    count = count or max(1, -(-len(data) // parameters.input_bytes))
    found += [[*_in_place(count)], [*turns(parameters, data, count)]]
    if not parameters.splits_bytes:
        found.append([beat for record in record_packets(data, parameters.sidebands)
                      for beat in packet_beats(parameters.behind, record.data)])
    return found


def segments_on_the_way(parameters: TranscoderParameters, packets: Iterable[SegmentPacket]) -> list[list[list[Beat]]]:
    """The beats of each segment at each core of its way: packer, carry if its beats are queued or held in a byte line,
    and the core itself. A record report has the turns of the core's beats."""
    flows: dict[int, Flow] = {}
    found = []
    for packet, number, more in packets:
        flow = flows.setdefault(number, Flow(parameters))
        data = packet_bytes(parameters, packet)
        answer = flow.segment(data, more)
        before = [] if parameters.packer is None else [[*packet_beats(parameters.packer, packet)]]
        count = len([row for beat in before[0] for row in beat.rows]) if before else None
        found.append([*before, *segment_beats(parameters, len(data), flow.answered, count)])
        if parameters.sidebands.record_report:
            found[-1].append([*report_turns(found[-1][-1], _bad_ends_of_segment(
                parameters, flow.answered, answer.records))])
    return found


def segment_beats(parameters: TranscoderParameters, length: int, answered: Answered,
                  count: int | None = None) -> list[list[Beat]]:
    """The beats of a segment of ``length`` bytes, which is ``answered``: at the carry if its beats are queued or held
    in a byte line, and at the core. ``count`` as in `packet_beats`."""
    piece, width = answered.piece, parameters.input_bytes
    usual = max(1, -(-length // width)) if count is None else count
    extra = extra_beats(parameters, length - (usual - 1) * width)
    before_line = []
    if has_byte_line(parameters):
        # The segment's end is a beat of its own.
        before_line = [Beat(False, (), returns=False, ends=at == usual - 1, extra=at == usual, dropped=at >= length)
                       for at in range(usual + 1)]
        usual = len(piece)
    # A beat precedes each segment; of a text's first one it is the mark.
    marks, added = parameters.mark_beats, answered.core.mark_units
    dropped = Beat(False, (), returns=True, dropped=True)
    if parameters.in_place:
        # Empty beats are left out, so the last one that is sent on may be another.
        kept = usual + extra if has_byte_line(parameters) else max(1, -(-len(piece) // width))
        before = [Beat(False, (0,), returns=False) if added else dropped] * marks
        beats = [*before, *_in_place(kept), *[dropped] * (usual + extra - kept)]
    else:
        made, lanes = answered.core.made(piece, in_run=answered.in_run), parameters.lanes
        items = [sum(made[start : start + lanes]) for start in range(0, len(made), lanes)]
        beats = [*_packed([added] * marks + items + [0] * (usual + extra - len(items)),
                          parameters.lanes * parameters.slots)]
    behind = [beats] if has_queue(parameters) else []
    first = [*_in_place(marks + usual + extra)] if behind else beats
    first = [beat._replace(ends=at == usual - 1, extra=at >= usual, mark=at < 0)
             for at, beat in enumerate(first, -marks)]
    return [*([before_line] if before_line else []), first, *behind]


def carry_lookahead(parameters: TranscoderParameters) -> int:
    """Further beats of its packet that a segment's beat waits for until it is clear which of its bytes are carried."""
    return -(-(MOST_CARRIED + 1) // parameters.input_bytes) if parameters.sidebands.flows is not None else 0


def _through_filter(parameters: TranscoderParameters, packet: bytes, count: int | None) -> list[list[Beat]]:
    """The beats of a packet at each part of a filter but its buffer: the two halves of the splitter, the validator, and
    the packer. A packet without bytes has one, until the packer. ``count``: the beats at the splitter, if the last may
    be empty."""
    splitter, validator, packer = parts_of_filter(parameters)
    data = packet or HOLLOW
    count = count or -(-len(data) // parameters.lanes)
    records = [beat for record in record_packets(data, splitter.sidebands)
               for beat in packet_beats(validator, len(record.data))]
    good = [row.bytes_left for row in buffer_rows(parameters, packet) if row.stays]
    return [[*_in_place(count)], [*turns(splitter, data, count)], records, [*_packed(good, packer.lanes)]]


def has_byte_line(parameters: TranscoderParameters) -> bool:
    """Whether a core with flows holds bytes in line, as only one flow and one byte a beat permit, without added
    marks."""
    side = parameters.sidebands
    return (parameters.pipeline == "compact" and parameters.input_bytes == 1 and side.flows == 1 and not side.tags
            and not parameters.mark)


def has_queue(parameters: TranscoderParameters) -> bool:
    """Whether a core with flows has a queue of rows behind the carry of its segments: output rows are wide, and the
    queue makes 32 of them enough."""
    return (parameters.sidebands.flows is not None and parameters.pipeline == "fast" and not parameters.in_place
            and parameters.output_bytes >= 2 * parameters.input_bytes and not parameters.replace_runs
            and parameters.lanes * parameters.slots <= MOST_QUEUED and len(parameters.reads.orders) == 1)


def has_skid(parameters: TranscoderParameters) -> bool:
    """Whether a skid buffer is between a core with flows and the packer before it. A compact core has one anyway."""
    return (parameters.sidebands.flows is not None and parameters.packer is not None
            and parameters.pipeline != "compact")


def has_output_skid(parameters: TranscoderParameters) -> bool:
    """Whether a skid buffer is between a core's output buffer and its output: on devices where the output's ``ready``
    would otherwise have the longest path, in cores of many lanes whose rows stay in place. Packed rows are masked
    behind the buffer, and synthesis for Gowin would make a function of six inputs of mask and skid buffer."""
    return (parameters.family in SKID_FAMILIES and parameters.pipeline != "compact" and parameters.in_place
            and parameters.lanes >= SKID_LANES and not parameters.splits_bytes and not parameters.filters)


def extra_beats(parameters: TranscoderParameters, length: int) -> int:
    """Beats that a segment of ``length`` bytes takes in addition to its own: room for bytes carried into it. 0 without
    flows."""
    width = parameters.input_bytes
    if parameters.sidebands.flows is None:
        return 0
    if has_byte_line(parameters):
        return 1
    # A last beat with room for three bytes needs no other.
    in_last = (length - 1) % width + 1 if length else 0
    return -(-MOST_CARRIED // width) if width <= MOST_CARRIED or in_last > width - MOST_CARRIED else 0


def packet_bytes(parameters: TranscoderParameters, packet: Packet) -> bytes:
    """The bytes of a packet. Raises `ParameterError` for a length alone."""
    if isinstance(packet, int):
        raise ParameterError(
            f"when rows fill depends on the bytes of a packet for this {parameters.core}, got only a length")
    return b"".join(packet) if isinstance(packet, list) else packet


def packet_size(packet: Packet) -> int:
    """Bytes of a packet."""
    if isinstance(packet, list):
        return sum(map(len, packet))
    return packet if isinstance(packet, int) else len(packet)


def _units_made(parameters: TranscoderParameters, packet: bytes) -> list[int]:
    """Target units per beat, first in the beat of an added mark."""
    made, lanes = parameters.made(packet), parameters.lanes
    marks = [parameters.mark_units] if parameters.mark else []
    return marks + [sum(made[start : start + lanes]) for start in range(0, max(len(made), 1), lanes)]
