"""What a core says of a packet beside its data: the report in ``tuser``, counters, records, and what travels along.

An encoder with ``report="full"``, ``offset_bits=16``, ``count=("code-points",)`` and ``user=2`` has on a packet's last
beat, from the lowest bit up:

    bits     0      3:1   19:4    35:20        37:36
    field    error  kind  offset  code_points  user
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

from .errors import ErrorKind, FirstError, Named, ParameterError, check_choice, check_octet, of_type
from .report_fields import COUNTERS, ERROR_FIELDS, KIND_WIDTH

__all__ = [
    "CARRIED", "COUNTERS", "KIND_WIDTH", "MARKS", "REPORTS", "REPORT_PORTS", "TAGS", "Field", "Sidebands", "Told",
]

REPORTS = ("none", "flag", "kind", "full")
"""What of a packet's first error is reported: nothing, that there is one, its kind too, its offset too."""
REPORT_PORTS = ("none", "beside", "only")
"""Whether reports come on a stream of their own: no, beside ``tuser``, or in place of it."""
TAGS = ("id", "dest")
"""What every beat of a packet has beside its data, as ``tid`` and ``tdest``."""
CARRIED = ("user", *TAGS)
"""What comes in beside the data, and goes out with its packet."""
MARKS = 2
"""Bits of a byte lane about records: it ends one, that one is ill-formed."""
MOST_SIDE = 64
"""Bits of ``tuser``, ``tid`` and ``tdest`` that can come in."""


class Field(NamedTuple):
    """A part of ``tuser``: its name, lowest bit, width, and what it says."""

    name: str
    lsb: int
    width: int
    text: str


class Told(NamedTuple):
    """What a packet's report says. ``error``: the first one, None without. ``bad``: bit 0, that it is bad, of itself or
    as it came in. ``counts``: the counters by their names."""

    bad: bool
    error: FirstError | None
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Sidebands:
    """The options of a core's ports that are about anything but text.

    ``report``: how much of a packet's first error is told. ``offset_bits``: width of its offset and of each counter;
    what does not fit reads as the greatest number. ``report_port``: whether reports have a stream of their own.
    ``count``: counters in the report. ``records``: the byte, 0 to 127, that ends a record in a packet, None for none.
    ``user``, ``id``, ``dest``: widths of ``tuser``, ``tid`` and ``tdest`` that come in and go out with their packet.
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

    NAMES: ClassVar[tuple[str, ...]]
    """The options' names."""

    def __post_init__(self) -> None:
        check_choice("report", self.report, REPORTS)
        check_choice("report_port", self.report_port, REPORT_PORTS)
        if isinstance(self.count, str) or not isinstance(self.count, Iterable):
            raise ParameterError(Named("count"), f" must be a sequence of names, such as ('bytes',), got "
                                 f"{of_type(self.count)}")
        object.__setattr__(self, "count", tuple(self.count))
        self._check_range("offset_bits", 16, 64)
        for name in CARRIED:
            self._check_range(name, 0, MOST_SIDE)
        if self.records is not None:
            check_octet("records", self.records)
        for counter in self.count:
            check_choice("count", counter, tuple(COUNTERS))
        if len({*self.count}) < len(self.count):
            raise ParameterError(Named("count"), f" has a counter twice, got {','.join(self.count)}")
        if self.records is None and (wrong := [name for name in self.count if COUNTERS[name].of_records]):
            raise ParameterError(Named("count"), f" {wrong[0]} needs ", Named("records"), ", such as ",
                                 Named("records", 0x0A))
        if self.report_port != "none" and not self.told:
            raise ParameterError(Named("report_port"), f" {self.report_port} needs a report or counters, got ",
                                 Named("report", "none"))

    def _check_range(self, name: str, least: int, most: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ParameterError(Named(name), f" must be a number from {least} to {most}, got {value!r}")

    @property
    def unusual(self) -> dict[str, Any]:
        """The options that are not at their defaults, ready for JSON."""
        found = {field.name: getattr(self, field.name) for field in fields(self)
                 if getattr(self, field.name) != field.default}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    @property
    def carried(self) -> dict[str, int]:
        """Widths of what comes in beside the data, by name: of `CARRIED` what is there."""
        return {name: width for name in CARRIED if (width := getattr(self, name))}

    @property
    def tags(self) -> dict[str, int]:
        """The same of `TAGS`."""
        return {name: width for name, width in self.carried.items() if name in TAGS}

    @property
    def told(self) -> tuple[Field, ...]:
        """The fields of a packet's report, bit 0 first: of its first error, and the counters."""
        parts = [(field.name, field.width or self.offset_bits, field.text)
                 for field in ERROR_FIELDS[: REPORTS.index(self.report)]]
        counters = (COUNTERS[name] for name in self.count)
        parts += [(counter.field, self.offset_bits, f"{counter.text}; all ones if more") for counter in counters]
        return _fields(parts)

    @property
    def told_width(self) -> int:
        """Bits of a packet's report."""
        return sum(field.width for field in self.told)

    @property
    def report_bytes(self) -> int:
        """Bytes of ``m_report_tdata``; 0 without that port."""
        return 0 if self.report_port == "none" else -(-self.told_width // 8)

    @property
    def last_beat(self) -> tuple[Field, ...]:
        """The fields of ``m_axis_tuser`` that a packet's last beat has, and that are zero on every other."""
        parts = [] if self.report_port == "only" else [(field.name, field.width, field.text) for field in self.told]
        if self.user:
            parts.append(("user", self.user, "s_axis_tuser of the packet's last beat"))
        return _fields(parts)

    @property
    def last_beat_width(self) -> int:
        """Bits of ``m_axis_tuser`` below those that every beat has."""
        return sum(field.width for field in self.last_beat)

    def every_beat(self, lanes: int) -> tuple[Field, ...]:
        """The fields of ``m_axis_tuser`` that every beat of ``lanes`` byte lanes has: two bits a byte."""
        return () if self.records is None else (
            Field("marks", self.last_beat_width, MARKS * lanes,
                  "of byte lane i bit 2i: it ends a record; bit 2i+1: that is ill-formed"),)

    def user_bits(self, lanes: int) -> int:
        """Bits of ``m_axis_tuser``."""
        return self.last_beat_width + sum(field.width for field in self.every_beat(lanes))

    def pack(self, error: FirstError | None, counts: Mapping[str, int], user: int = 0) -> int:
        """The report of a packet, as `told` lays it out. ``user``: what came in with its last beat; bit 0 of it makes
        the packet bad."""
        most = (1 << self.offset_bits) - 1
        values = {field.name: 0 if error is None else min(field.value(error), most) for field in ERROR_FIELDS}
        values["error"] |= int(self.user > 0 and user & 1 == 1)
        values |= {name: min(count, most) for name, count in counts.items()}
        return sum(values[field.name] << field.lsb for field in self.told)

    def unpack(self, report: int) -> Told:
        """What a report says. Raises ValueError where no core may send it: a kind without a name, a kind or an offset
        without an error."""
        found = {field.name: report >> field.lsb & (1 << field.width) - 1 for field in self.told}
        bad, kind, offset = (found.get(name, 0) for name in ("error", "kind", "offset"))
        counts = {field.name: found[field.name] for field in self.told[REPORTS.index(self.report):]}
        # Without a kind a packet is bad only as it came in.
        unexplained = bad and not kind and "kind" in found and not self.user
        if (kind > max(ErrorKind) or (kind and not bad) or (offset and not kind) or unexplained
                or report >> self.told_width):
            raise ValueError(f"a report of {report:#x} has no meaning")
        return Told(bool(bad), FirstError(ErrorKind(kind), offset) if kind else None, counts)


Sidebands.NAMES = tuple(field.name for field in fields(Sidebands))


def _fields(parts: Sequence[tuple[str, int, str]]) -> tuple[Field, ...]:
    found: list[Field] = []
    for name, width, text in parts:
        found.append(Field(name, sum(field.width for field in found), width, text))
    return tuple(found)
