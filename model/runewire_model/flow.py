"""A text that arrives in segments, for example in TCP segments: the golden answer for each of them.

The € of this text is cut in two:

    segment       more   output          report
    61 E2 82      yes    61              no error yet
    AC FF         no     20AC FFFD       HEADER_BITS at offset 4, counted from the text's start

The cuts change nothing: joined outputs, joined record flags and ill-formed records, sums of counters and the last
segment's report are as for the whole text in one packet.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from .errors import FirstError, check_bytes
from .golden_answer import PacketResult, ends_in_run
from .moved_records import ENDS, ILL_FORMED, record_flags
from .records import BadRecord, ends_with, split_records
from .report_fields import COUNTERS, PacketText
from .transcoder import TranscoderParameters


class Answered(NamedTuple):
    """What a segment's answer is for. ``core``: the parameters, which depend on the text so far. ``piece``: its bytes,
    without those that wait, and with those that waited before. Of the text before it, ``known``: it had an error,
    ``in_run``: it ended with an ill-formed subpart."""

    core: TranscoderParameters
    piece: bytes
    known: bool
    in_run: bool


class _Record(NamedTuple):
    """The record under way: its number in the text, its units so far, and its first error so far."""

    number: int
    units: int
    error: FirstError | None


class Flow:
    """A core's golden answers for the segments of one text after another.

    ``parameters``: the core.
    """

    def __init__(self, parameters: TranscoderParameters) -> None:
        self.parameters = parameters
        self.reset()

    def reset(self) -> None:
        """Forget the text under way: the next segment begins a text."""
        self._core = _narrow(self.parameters)
        self._held = b""
        self._units = 0
        self._error: FirstError | None = None
        self._bad_record = False
        self._open_record = False
        self._record = _Record(0, 0, None)
        self.flags, self.tail = b"", 0
        """Record flags of the last answer's bytes; flags of a last record without delimiter, 0 if there is none."""
        self._in_run = False
        self.answered = Answered(self._core, b"", False, False)
        """The last answer's core and bytes."""

    def segment(self, data: bytes, more: bool = False) -> PacketResult:
        """The answer to the text's next segment. ``more``: the text continues in another segment.

        Bytes at the segment's end whose meaning depends on the next segment are output with that one. The error is the
        text's first so far, its offset in units from the text's start. Raises TypeError unless ``data`` is bytes.
        """
        check_bytes("data", data)
        window = self._held + data
        size = self._complete(window) if more else len(window)
        piece, self._held = window[:size], window[size:]
        self.answered = Answered(self._core, piece, self._error is not None, self._in_run)
        result = self._core.compute(piece, in_run=self._in_run)
        if result.error is not None and self._error is None:
            self._error = FirstError(result.error.kind, self._units + result.error.offset)
        if self._core.sidebands.records is not None:
            self._flag(piece, more)
        bad_records = self._bad_records(piece, result.bad_records, more)
        records = self._records(piece, result.records, more)
        counts = {**result.counts, **{
            counter.field: counter.value(PacketText(records=records)) for counter in COUNTERS.values()
            if counter.of_records and counter.field in result.counts}}
        answer = PacketResult(result.output, self._error, counts, records, bad_records)
        if self._core.replace_runs:
            self._in_run = ends_in_run(self._core, piece, in_run=self._in_run)
        self._units += self._core.reads.units(size)
        self._core = self._after(piece)
        if not more:
            last = self.flags, self.tail, self.answered
            self.reset()
            self.flags, self.tail, self.answered = last
        return answer

    def _complete(self, window: bytes) -> int:
        """Bytes of ``window`` that mean the same whatever follows."""
        return len(window) - self._core.reads.unfinished(window)

    def _flag(self, piece: bytes, more: bool) -> None:
        """Set `flags` and `tail` for ``piece``; its first record may have begun in a segment before."""
        flags, tail = record_flags(self._core, piece, in_run=self._in_run)
        found = bytearray(flags)
        if not piece and self._open_record:
            tail = ENDS
        if self._bad_record:
            first = next((at for at, flag in enumerate(found) if flag), None)
            if first is not None:
                found[first] |= ILL_FORMED
            elif tail:
                tail |= ILL_FORMED
        self.flags, self.tail = bytes(found), 0 if more else tail

    def _records(self, piece: bytes, flags: tuple[bool, ...], more: bool) -> tuple[bool, ...]:
        """The flags of the records that end in ``piece``. The first may have begun in a segment before."""
        delimiter = self._core.sidebands.records
        if delimiter is None:
            return ()
        # Without a byte the record under way is as before.
        found = [*flags] or [False] * self._open_record
        if found:
            found[0] |= self._bad_record
        if piece:
            self._open_record = not ends_with(self._core.reads, piece, delimiter)
        self._bad_record = found.pop() if more and self._open_record else False
        return tuple(found)

    def _bad_records(self, piece: bytes, found: Sequence[BadRecord], more: bool) -> tuple[BadRecord, ...]:
        """The ill-formed records that end in ``piece``, from those ``found`` in it alone. To be called before
        `_records`."""
        sidebands, reads = self._core.sidebands, self._core.reads
        if not sidebands.record_report or sidebands.records is None:
            return ()
        order = reads.order_of(piece)
        errors = {bad.record: bad for bad in found}
        parts = [*split_records(piece, sidebands.records, reads)] or [b""] * self._open_record
        bad = []
        for at, part in enumerate(parts):
            number, units, error = self._record
            if error is None and at in errors:
                error = FirstError(errors[at].kind, units + errors[at].offset)
            if ends_with(order, part, sidebands.records) or (not more and at == len(parts) - 1):
                if error is not None:
                    bad.append(BadRecord(number, error.kind, error.offset))
                self._record = _Record(number + 1, 0, None)
            else:
                self._record = _Record(number, units + reads.units(len(part)), error)
        return tuple(bad)

    def _after(self, piece: bytes) -> TranscoderParameters:
        """The core for the bytes after ``piece``. Only a text's start has a byte order mark, or gets one."""
        core = self._core
        if piece:
            return _other(core, core.reads.order_of(piece).name, "keep")
        if core.bom == "add":
            return _other(core, core.source, "strip" if core.reads.byte_order_marks else "keep")
        return core


@lru_cache
def _narrow(parameters: TranscoderParameters) -> TranscoderParameters:
    """The narrowest core with the same answers: it has every option."""
    return replace(parameters, lanes=1, packing="dense")


@lru_cache
def _other(parameters: TranscoderParameters, source: str, bom: str) -> TranscoderParameters:
    return replace(parameters, source=source, bom=bom)
