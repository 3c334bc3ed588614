"""The report of a packet and the other sidebands of a core: ``tuser``, counters, record flags, ``tid`` and ``tdest``.

An encoder with ``report="full"``, ``offset_bits=16``, ``count=("code-points",)`` and ``user=2`` has on a packet's last
beat, from the lowest bit up:

    bits     0      3:1   19:4    35:20        37:36
    field    error  kind  offset  code_points  user
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from .errors import ErrorKind, FirstError, Named, ParameterError, check_choice, check_flag, check_octet, of_type
from .records import BadRecord
from .report_fields import COUNTERS, ERROR_FIELDS, KIND_WIDTH

__all__ = [
    "CARRIED", "COUNTERS", "KIND_WIDTH", "MARKS", "NULL_BYTES", "REPORTS", "REPORT_PORTS", "TAGS", "ReportField",
    "Sidebands", "UnpackedReport",
]

REPORTS = ("none", "flag", "kind", "full")
"""How much of a packet's first error is reported: nothing; a flag; its kind too; its offset too."""
REPORT_PORTS = ("none", "beside", "only")
"""Where reports are output: in ``tuser`` alone; also on a stream of their own; on that stream only."""
DELIMITERS = ("keep", "drop")
"""What becomes of the byte that ends a record, where records become packets."""
EMPTY = ("keep", "drop")
"""What becomes of records without a byte but the delimiter, where records become packets."""
NULL_BYTES = ("end", "anywhere")
"""Where an input beat may have null bytes: at a packet's end; or in any lane of any beat."""
TAGS = ("id", "dest")
"""Sidebands that are constant over a packet, ``tid`` and ``tdest``."""
CARRIED = ("user", *TAGS)
"""Sidebands of the input that leave with their packet."""
MARKS = 2
"""Record flags of one byte lane: it ends a record; that record is ill-formed."""
SPLIT_OPTIONS = ("delimiter", "longest", "empty")
"""The options of ``split``."""
PACKET_WIDTH = 16
"""Bits of a packet's number in a record report."""
MOST_LONGEST = 1 << 20
"""Greatest value of ``longest``."""
EARLY = "; on each beat from the first in which it is known"
"""The addition to the meaning of the error bit with the option ``early``."""
MOST_SIDE = 64
"""Greatest width of ``tuser``, ``tid`` and ``tdest`` at the input."""
COUNT_WIDTH = 32
"""Bits of a filter's count of rejected records, and of each number on its rejects."""
MOST_FLOWS = 1 << 16
"""Greatest number of flows."""


class ReportField(NamedTuple):
    """A part of ``tuser``: its name, lowest bit, width and meaning."""

    name: str
    lsb: int
    width: int
    text: str


class UnpackedReport(NamedTuple):
    """A packet's report, unpacked. ``bad``: bit 0, set by an error or by the input's ``tuser``. ``error``: the first
    error, None without one. ``counts``: the counters by name."""

    bad: bool
    error: FirstError | None
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Sidebands:
    """The options of a core's ports that do not concern text.

    ``report``: how much of a packet's first error is reported.
    ``offset_bits``: width of the error's offset and of each counter, 16 to 64. Both saturate at all ones.
    ``report_port``: whether reports have a stream of their own.
    ``count``: the counters in the report.
    ``records``: the unit, 0 to 127, that ends a record inside a packet; None for no records.
    ``user``, ``id``, ``dest``: widths of the input's ``tuser``, ``tid`` and ``tdest``, which leave with their packet.
    ``null_bytes``: where the input may have null bytes.
    ``split``: the byte, 0 to 127, after which the input is split into packets; None if it is not.
    ``delimiter``: whether that byte stays at the end of its packet. ``longest``: the most bytes of such a packet, a
    power of two; a longer record is cut. None for no limit. ``empty``: whether empty records become empty packets.
    ``flows``: texts that may be under way at the same time, each in segments; ``tid`` is the flow's number. None for
    packets that are whole texts.
    ``early``: the error bit of ``tuser`` is set on every output beat from the first one in which an error is known.
    ``record_report``: whether a stream of its own reports each ill-formed record.
    ``filter``: the byte, 0 to 127, that ends the records of a filter; None for any other core. ``longest`` is then the
    most bytes of a record that is not rejected. ``rejects``: rejected records are output on a stream of their own.

    Raises `ParameterError` for any other value.
    """

    report: str = "full"
    offset_bits: int = 32
    report_port: str = "none"
    count: tuple[str, ...] = ()
    records: int | None = None
    user: int = 0
    id: int = 0
    dest: int = 0
    null_bytes: str = "end"
    split: int | None = None
    delimiter: str = "keep"
    longest: int | None = None
    empty: str = "keep"
    flows: int | None = None
    early: bool = False
    record_report: bool = False
    filter: int | None = None
    rejects: bool = False
    tail: bool = field(default=False, init=False, repr=False)
    """Whether the last beat has the flags of a record that the packet's end ends: with `records`, where the output is
    another text or `flows` is set. `TranscoderParameters` sets it."""

    NAMES: ClassVar[tuple[str, ...]]
    """Names of the options."""

    def __post_init__(self) -> None:
        check_choice("report", self.report, REPORTS)
        check_choice("report_port", self.report_port, REPORT_PORTS)
        check_choice("null_bytes", self.null_bytes, NULL_BYTES)
        if isinstance(self.count, str) or not isinstance(self.count, Iterable):
            raise ParameterError(Named("count"), f" must be a sequence of names, such as ('bytes',), got "
                                 f"{of_type(self.count)}")
        object.__setattr__(self, "count", tuple(self.count))
        self._check_range("offset_bits", 16, 64)
        for name in CARRIED:
            self._check_range(name, 0, MOST_SIDE)
        if self.records is not None:
            check_octet("records", self.records)
        self._check_flows()
        for counter in self.count:
            check_choice("count", counter, tuple(COUNTERS))
        if len({*self.count}) < len(self.count):
            raise ParameterError(Named("count"), f" has a counter twice, got {','.join(self.count)}")
        if self.records is None and (wrong := [name for name in self.count if COUNTERS[name].of_records]):
            raise ParameterError(Named("count"), f" {wrong[0]} needs ", Named("records"), ", such as ",
                                 Named("records", 0x0A))
        self._check_split()
        check_flag("early", self.early)
        self._check_record_report()
        check_flag("rejects", self.rejects)
        if self.early and (self.report == "none" or self.report_port == "only"):
            name = "report" if self.report == "none" else "report_port"
            raise ParameterError(Named("early"), " needs a report in tuser, got ", Named(name, getattr(self, name)))
        if self.report_port != "none" and not self.told:
            raise ParameterError(Named("report_port"), f" {self.report_port} needs a report or counters, got ",
                                 Named("report", "none"))

    def _check_record_report(self) -> None:
        check_flag("record_report", self.record_report)
        if self.record_report and self.records is None:
            raise ParameterError(Named("record_report"), " needs ", Named("records"), ", such as ",
                                 Named("records", 0x0A))
        if self.record_report and self.split is not None:
            raise ParameterError(Named("record_report"), " does not go with ", Named("split", self.split))

    def _check_split(self) -> None:
        check_choice("delimiter", self.delimiter, DELIMITERS)
        check_choice("empty", self.empty, EMPTY)
        if self.split is not None:
            check_octet("split", self.split)
        if self.filter is not None:
            check_octet("filter", self.filter)
            self._check_range("user", 0, MOST_SIDE - COUNT_WIDTH)
            if self.longest is None:
                raise ParameterError(Named("filter"), " needs ", Named("longest"), ", such as ", Named("longest", 4096))
        elif self.rejects:
            raise ParameterError(Named("rejects"), " needs ", Named("filter"), ", such as ", Named("filter", 0x0A))
        for name in SPLIT_OPTIONS:
            if self.split is None and name in self.unusual and (self.filter is None or name != "longest"):
                raise ParameterError(Named(name), " needs ", Named("split"), ", such as ", Named("split", 0x0A))
        if self.split is not None and self.early:
            raise ParameterError(Named("split"), " does not go with ", Named("early"))
        if self.split is not None and self.flows is not None:
            raise ParameterError(Named("split"), " does not go with ", Named("flows"), f", got {self.flows} flows")
        if self.longest is not None:
            self._check_range("longest", 1, MOST_LONGEST)
            if self.longest.bit_count() > 1:
                near = 1 << self.longest.bit_length()
                raise ParameterError(Named("longest"), f" must be a power of two, got {self.longest}: {near // 2} or "
                                     f"{near} would do")
            if self.split is not None and self.user == MOST_SIDE:
                raise ParameterError(Named("user"), f" must be at most {MOST_SIDE - 1} with ", Named("longest"),
                                     f", which adds a bit to tuser, got {self.user}")

    def _check_flows(self) -> None:
        if self.flows is None:
            return
        self._check_range("flows", 1, MOST_FLOWS)
        self._check_range("user", 0, MOST_SIDE - 1)
        if self.id < self.flow_bits:
            raise ParameterError(Named("flows"), f" {self.flows} needs ", Named("id"), f" of {self.flow_bits} or more, "
                                 f"as tid is the flow's number, got {self.id}")

    def _check_range(self, name: str, least: int, most: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ParameterError(Named(name), f" must be a number from {least} to {most}, got {value!r}")

    @property
    def unusual(self) -> dict[str, Any]:
        """The options that differ from their defaults, ready for JSON."""
        found = {field.name: getattr(self, field.name) for field in fields(self)
                 if field.init and getattr(self, field.name) != field.default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @property
    def flow_bits(self) -> int:
        """Bits of a flow's number."""
        return 0 if self.flows is None else (self.flows - 1).bit_length()

    @property
    def input_user(self) -> int:
        """Bits of ``s_axis_tuser``: ``user``, and with ``flows`` one more above, ``more``."""
        return self.user + (self.flows is not None)

    @property
    def carried(self) -> dict[str, Any]:
        """Widths of the sidebands of `CARRIED` that the core has, by name."""
        widths = {"user": self.input_user, "id": self.id, "dest": self.dest}
        return {name: width for name, width in widths.items() if width}

    @property
    def cut_bits(self) -> int:
        """Bits of ``m_axis_tuser`` that say whether a record is cut, 0 or 1."""
        return int(self.split is not None and self.longest is not None)

    @property
    def tail_bits(self) -> int:
        """Bits of ``m_axis_tuser``, the highest of a packet's last beat, for a last record without delimiter: it is
        there; it is ill-formed."""
        return MARKS * self.tail

    @property
    def user_and_cut(self) -> int:
        """Bits of ``user`` behind a splitter: the input's, and above them the bit ``cut`` if there is one."""
        return self.user + self.cut_bits

    @property
    def tags(self) -> dict[str, int]:
        """Widths of the sidebands of `TAGS` that the core has, by name."""
        return {name: width for name, width in self.carried.items() if name in TAGS}

    @cached_property
    def told(self) -> tuple[ReportField, ...]:
        """The fields of a packet's report, bit 0 first: the first error, then the counters."""
        parts = [(field.name, field.width or self.offset_bits, field.text)
                 for field in ERROR_FIELDS[: REPORTS.index(self.report)]]
        counters = (COUNTERS[name] for name in self.count)
        parts += [(counter.field, self.offset_bits, f"{counter.text}; all ones if more") for counter in counters]
        if self.filter is not None:
            parts.append(("rejected", COUNT_WIDTH, "records of the packet that are rejected; all ones if more"))
        return _fields(parts)

    @property
    def reject_end(self) -> tuple[ReportField, ...]:
        """The fields of ``m_rejects_tuser``, valid on a reject's last beat and zero on the others; none without that
        stream."""
        return _fields([
            ("kind", KIND_WIDTH, "what the record's first error is, 0 if it is well-formed and only too long"),
            ("offset", COUNT_WIDTH, "where it begins, from the record's start; all ones if further"),
            ("record", COUNT_WIDTH, "the record's number in its packet, from 0; all ones if higher"),
            ("long", 1, "the record is longer than the buffer"),
        ]) if self.rejects else ()

    @property
    def told_width(self) -> int:
        """Bits of a packet's report."""
        return sum(field.width for field in self.told)

    @property
    def report_bytes(self) -> int:
        """Bytes of ``m_report_tdata``; 0 without a report port."""
        return 0 if self.report_port == "none" else -(-self.told_width // 8)

    @cached_property
    def record_beat(self) -> tuple[ReportField, ...]:
        """The fields of ``m_records_tdata``, bit 0 first; empty without a record report."""
        if not self.record_report:
            return ()
        text = "packet" if self.flows is None else "text"
        *numbers, kind = _fields([
            ("record", self.offset_bits, f"number of the ill-formed record in its {text}, from 0; all ones if more"),
            ("offset", self.offset_bits, "where its first error begins, from the record's start; all ones if further"),
            ("packet", PACKET_WIDTH, "number of the packet since the reset, from 0; its lowest bits"),
            ("kind", KIND_WIDTH, "what the error is"),
        ])
        return (*numbers, kind._replace(lsb=-(-kind.lsb // 8) * 8))

    @property
    def record_bytes(self) -> int:
        """Bytes of ``m_records_tdata``; 0 without a record report."""
        return self.record_beat[-1].lsb // 8 + 1 if self.record_report else 0

    @cached_property
    def last_beat(self) -> tuple[ReportField, ...]:
        """The fields of ``m_axis_tuser`` that are valid on a packet's last beat and zero on the others."""
        parts = [] if self.report_port == "only" else [
            (field.name, field.width, f"{field.text}{EARLY if self.early and not field.lsb else ''}")
            for field in self.told]
        if self.user:
            parts.append(("user", self.user, "s_axis_tuser of the packet's last beat"))
        if self.cut_bits:
            parts.append(("cut", 1, "the record continues in the next packet"))
        if self.flows is not None:
            parts.append(("more", 1, "the text continues in the flow's next packet"))
        if self.tail:
            parts += [("tail", 1, "the packet's last record has no delimiter"),
                      ("tail_bad", 1, "that record is ill-formed")]
        return _fields(parts)

    @property
    def last_beat_width(self) -> int:
        """Bits of ``m_axis_tuser`` below the fields of every beat."""
        return sum(field.width for field in self.last_beat)

    def every_beat(self, lanes: int) -> tuple[ReportField, ...]:
        """The fields of ``m_axis_tuser`` that every beat of ``lanes`` byte lanes has: two record flags a byte."""
        return () if self.records is None else (
            ReportField("marks", self.last_beat_width, MARKS * lanes,
                  "of byte lane i bit 2i: it ends a record; bit 2i+1: that is ill-formed"),)

    def user_bits(self, lanes: int) -> int:
        """Bits of ``m_axis_tuser``."""
        return self.last_beat_width + sum(field.width for field in self.every_beat(lanes))

    def pack(self, error: FirstError | None, counts: Mapping[str, int], user: int = 0) -> int:
        """A packet's report as one number, laid out as in `told`. ``user``: the input's ``tuser`` on the last beat; its
        bit 0 marks the packet as bad."""
        most = (1 << self.offset_bits) - 1
        values = {field.name: 0 if error is None else min(field.value(error), most) for field in ERROR_FIELDS}
        values["error"] |= int(self.user > 0 and user & 1 == 1)
        values |= {name: min(count, most) for name, count in counts.items()}
        return sum(values[field.name] << field.lsb for field in self.told)

    def pack_record(self, packet: int, record: BadRecord) -> int:
        """The beat of an ill-formed record, laid out as in `record_beat`. ``packet``: the number of its packet."""
        most = (1 << self.offset_bits) - 1
        values = {"record": min(record.record, most), "offset": min(record.offset, most), "kind": int(record.kind),
                  "packet": packet & (1 << PACKET_WIDTH) - 1}
        return sum(values[field.name] << field.lsb for field in self.record_beat)

    def unpack_record(self, beat: int) -> tuple[int, BadRecord]:
        """The number of the packet and the ill-formed record of a beat. Raises ValueError for an unnamed kind."""
        found = {field.name: beat >> field.lsb & (1 << field.width) - 1 for field in self.record_beat}
        return found["packet"], BadRecord(found["record"], ErrorKind(found["kind"]), found["offset"])

    def unpack(self, report: int) -> UnpackedReport:
        """The fields of a report. Raises ValueError for a report that no core may send: an unnamed kind, or a kind or
        offset without an error."""
        found = {field.name: report >> field.lsb & (1 << field.width) - 1 for field in self.told}
        bad, kind, offset = (found.get(name, 0) for name in ("error", "kind", "offset"))
        counts = {field.name: found[field.name] for field in self.told[REPORTS.index(self.report):]}
        # Without a kind, bit 0 is set by the input's tuser alone.
        unexplained = bad and not kind and "kind" in found and not self.user
        if (kind > max(ErrorKind) or (kind and not bad) or (offset and not kind) or unexplained
                or report >> self.told_width):
            raise ValueError(f"a report of {report:#x} has no meaning")
        return UnpackedReport(bool(bad), FirstError(ErrorKind(kind), offset) if kind else None, counts)


Sidebands.NAMES = tuple(field.name for field in fields(Sidebands) if field.init)


def _fields(parts: Sequence[tuple[str, int, str]]) -> tuple[ReportField, ...]:
    found: list[ReportField] = []
    for name, width, text in parts:
        found.append(ReportField(name, sum(field.width for field in found), width, text))
    return tuple(found)
