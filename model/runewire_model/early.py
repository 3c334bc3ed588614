"""Early error bit: how many output beats a packet has before the first one in which its error is known.

A validator of four lanes, and the packet ``61 62 63 64`` ``65 FF 66 67`` ``68``:

    output beat    0     1    2
    error bit      -     1    1     1 beat without it

An error is known with the last unit of its sequence. A beat that fills a row is in time for it. Once a text in segments
has an error, every beat of its later segments has the bit.
"""

from dataclasses import replace

from .errors import ErrorKind
from .flow import Flow
from .golden_answer import answer
from .packet_beats import segment_beats
from .transcoder import TranscoderParameters


def unflagged_beats(core: TranscoderParameters, packet: bytes, *, bad: bool = False, beats: int | None = None,
                    in_run: bool = False) -> int:
    """Output beats of a packet before the first one with the error bit; all of them for a packet without an error.

    ``bad``: the input's ``tuser`` says so on the packet's last input beat. ``beats``: input beats of the packet, if the
    last one may be empty. ``in_run``: the text before the packet ends with an ill-formed subpart.
    """
    usual = max(1, -(-len(packet) // core.input_bytes))
    count = usual if beats is None else beats
    last = known_unit(core, packet)
    if last is None:
        first = count - 1 if bad else count
    else:
        first = min(last // core.lanes, count - 1)
    return _rows_before(core, packet, first, count, in_run)


def unflagged_segment_beats(core: TranscoderParameters, flow: Flow, length: int, *, bad: bool = False,
                            beats: int | None = None) -> int:
    """The same for the segment of ``length`` bytes that ``flow`` answered last. ``beats``: of the segment at the input,
    if the last one may be empty."""
    of_text, piece, known, in_run = flow.answered
    if known:
        return 0
    sent = [beat for beat in segment_beats(core, length, flow.answered, beats)[-1] if not beat.dropped]
    own = replace(core, source=of_text.source, bom=of_text.bom)
    if not bad and known_unit(own, piece) is None:
        return sum(len(beat.rows) for beat in sent)
    return unflagged_beats(own, piece, bad=bad, beats=len(sent), in_run=in_run)


def known_unit(core: TranscoderParameters, packet: bytes) -> int | None:
    """Index of the unit with which a packet's first error is known; None without an error."""
    error = answer(core, packet).error
    if error is None:
        return None
    own = core.reads.first_error(packet)
    if error == own:
        return core.reads.error_end(packet, error)
    # A character that the target lacks, which is known with its last unit.
    assert error.kind is ErrorKind.TOO_LARGE
    return core.reads.ends(packet).index(1, error.offset)


def _rows_before(core: TranscoderParameters, packet: bytes, beat: int, count: int, in_run: bool) -> int:
    """Output beats that are complete before input beat ``beat`` of ``count`` beats; all of them for ``count``."""
    if core.in_place:
        return beat + core.mark_beats
    items = sum(core.made(packet, in_run=in_run)[: beat * core.lanes]) + core.mark_units
    row = core.lanes * core.slots
    # A packet's last row waits for the packet's end, also if it is full.
    return items // row if beat < count else max(1, -(-items // row))
