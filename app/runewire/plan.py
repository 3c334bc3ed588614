"""Planner: the cores that carry a line rate, in the worst case and for a text, from their clocks and the cycle
model."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from runewire_benchmark.datasheet import Entry
from runewire_benchmark.throughput import counted_in, cycles_of, gigabytes_per_second
from runewire_model import TranscoderParameters
from runewire_model.timeline import beats

ETHERNET_OVERHEAD = 20
"""Bytes that a frame takes on an Ethernet line in addition to its own: preamble and start 8, gap 12."""

FULLEST = 0.8
"""Largest share of a device's LUTs, flip-flops or block RAMs for several cores; beyond it clocks fall."""


@dataclass(frozen=True)
class Resource:
    """Use of one resource of a device by several cores; `capacity` is None if unknown."""

    name: str
    used: int
    capacity: int | None

    @property
    def share(self) -> float | None:
        """Share of the capacity, from 0 to 1."""
        return self.used / self.capacity if self.capacity else None


@dataclass(frozen=True)
class Option:
    """One core, compared with the rate.

    `worst_bits` and `text_bits`: bits a second that one core carries at the entry's clock, with packets of the worst
    size `worst_packet`, and for the text. `worst_record`: bytes of each record in these packets, if records limit the
    rate more than packets do. `copies` and `text_copies`: the number of parallel copies that carry the
    rate. `needed_mhz`: the clock at which one core would carry it in the worst case.
    """

    entry: Entry
    worst_packet: int
    worst_bits: float
    needed_mhz: float
    copies: int
    text_bits: float | None = None
    text_copies: int | None = None
    worst_record: int | None = None

    def as_json(self) -> dict[str, Any]:
        """All fields, ready for JSON; ``null`` for an unknown one."""
        entry = self.entry
        return {
            "name": entry.name, "core": entry.parameters.record(), "clock_mhz": entry.clock_mhz,
            "unknown_clock_limits": [*entry.unknown_limits],
            "latency_cycles": entry.latency_cycles, "latency_ns": self.latency_ns,
            "worst_packet_bytes": self.worst_packet, "worst_record_bytes": self.worst_record,
            "worst_bits_per_second": self.worst_bits,
            "needed_mhz": self.needed_mhz, "copies": self.copies, "fits": self.fits(self.copies),
            "text_bits_per_second": self.text_bits, "text_copies": self.text_copies,
            "resources": [{"name": resource.name, "used": resource.used, "available": resource.capacity}
                          for resource in self.resources(self.copies)],
        }

    @property
    def latency_ns(self) -> float:
        """Nanoseconds from a packet's last input beat to its last output beat, at the entry's clock."""
        return 1000 * self.entry.latency_cycles / self.entry.clock_mhz

    def resources(self, copies: int) -> list[Resource]:
        """Resources of this many copies, without the logic before and after them; unknown resources are left out."""
        entry = self.entry
        found = [Resource("LUT", copies * entry.luts, entry.device_luts),
                 Resource("FF", copies * entry.ffs, entry.device_ffs)]
        if entry.block_rams is not None:
            found.append(Resource("block RAM", copies * entry.block_rams, entry.device_block_rams))
        return found

    def fits(self, copies: int) -> bool:
        """Whether this many copies fit on the device. One does, as it was placed there."""
        return copies == 1 or all((resource.share or 0) <= FULLEST for resource in self.resources(copies))


@dataclass(frozen=True)
class RatePlan:
    """The request, and every core of that kind on the device, narrowest first."""

    rate: float
    packets: range
    overhead: int
    options: tuple[Option, ...]
    records: range | None = None

    @property
    def carrying(self) -> list[Option]:
        """For each packing the core that carries the rate in the worst case with the fewest copies, then the fewest
        LUTs."""
        return _best((option, option.copies) for option in self.options)

    @property
    def carrying_text(self) -> list[Option]:
        """For each packing the core that carries the rate for the text with the fewest copies, then the fewest LUTs."""
        return _best((option, option.text_copies) for option in self.options if option.text_copies is not None)

    def as_json(self) -> dict[str, Any]:
        """The request, every core, and the cores proposed for the worst case and for the text."""
        return {
            "rate_bits_per_second": self.rate,
            "packet_bytes": {"least": self.packets[0], "most": self.packets[-1], "overhead": self.overhead},
            "record_bytes": None if self.records is None else {"least": self.records[0], "most": self.records[-1]},
            "cores": [option.as_json() for option in self.options],
            "proposed": [self.options.index(option) for option in self.carrying],
            "proposed_for_text": [self.options.index(option) for option in self.carrying_text],
        }

    @property
    def nearest(self) -> Option:
        """The core with the greatest rate in the worst case."""
        return max(self.options, key=lambda option: option.worst_bits)


def _best(options: Iterable[tuple[Option, int]]) -> list[Option]:
    found: dict[str | None, tuple[int, int, Option]] = {}
    for option, copies in options:
        if option.fits(copies):
            cost = copies, copies * option.entry.luts
            known = found.get(option.entry.packing)
            if known is None or cost < known[:2]:
                found[option.entry.packing] = *cost, option
    return [option for _, _, option in found.values()]


def worst_packet(core: TranscoderParameters, sizes: range, overhead: int = 0, unit: int = 1) -> int:
    """The size among `sizes` (at least one byte, in steps of one) with the fewest line bytes per beat.

    ``unit``: input bytes for each byte of the size, if all text is in the narrowest characters. ``overhead``: line
    bytes of a packet in addition to its own. One beat more makes the rate fall, and each size with one more of the same
    place in its last beat is like it. So the worst size is among the smallest or the largest that fill a beat.
    """
    beat = core.input_bytes // unit
    candidates = dict.fromkeys([*sizes[:beat], *sizes[-beat:]])
    worst: int = min(candidates, key=lambda size: (size + overhead) / beats(core, [size * unit]))
    return worst


def _copies(rate: float, bits: float) -> int:
    return max(1, math.ceil(rate / bits - 1e-9))


def _read(core: TranscoderParameters, piece: bytes) -> bytes:
    """The bytes that a core reads for a packet, which is in the encoding in which its rate is counted."""
    counted = counted_in(core)
    if counted == core.source:
        return piece
    return piece.decode(counted, "replace").encode(core.reads.oracle, "replace")


def _along(entry: Entry, pieces: Sequence[bytes]) -> float:
    """10^9 bytes a second of a text in these packets."""
    core, counted = entry.parameters, [*map(len, pieces)]
    read = [_read(core, piece) for piece in pieces]
    if core.splits or core.filters or (core.sidebands.record_report and core.sidebands.flows is None):
        return sum(counted) / cycles_of(core, read) * entry.clock_mhz / 1000
    return gigabytes_per_second(entry, [*map(len, read)], counted)


def plan(entries: Sequence[Entry], rate: float, packets: range, text: bytes | None = None,
         overhead: int = 0, records: range | None = None) -> RatePlan:
    """Compare `entries`, all of one core on one device, with `rate` bits a second.

    Rate, packets and text are in the encoding `counted_in` of the core. `packets`: permitted packet sizes in bytes;
    `text` is cut into packets of the largest size. `overhead`: line bytes of each packet in addition to its own; the
    core does not see them. `records`: permitted sizes of the records of a core that splits or filters, in packets of
    whole records; without it each packet is one record.
    """
    options = []
    pieces = [] if text is None else [text[i : i + packets[-1]] for i in range(0, len(text), packets[-1])]
    for entry in entries:
        core = entry.parameters
        # In UTF-8 the narrowest character is one byte, and one unit of any source.
        unit = core.reads.unit_bytes if counted_in(core) != core.source else 1
        size = worst_packet(core, packets, overhead, unit)
        worst = 8e9 * gigabytes_per_second(entry, [size * unit], [size]) * (size + overhead) / size
        record = None
        if records is not None:
            # Each record begins a beat, as a packet does. The largest packets leave the fewest gaps on the line.
            slowest = worst_packet(core, records, unit=unit)
            most = 8e9 * gigabytes_per_second(entry, [slowest * unit], [slowest]) * (1 + overhead / packets[-1])
            if most < worst:
                worst, size, record = most, packets[-1], slowest
        along = None
        if text:
            along = 8e9 * _along(entry, pieces) * (1 + overhead * len(pieces) / len(text))
        options.append(Option(entry, size, worst, entry.clock_mhz * rate / worst, _copies(rate, worst), along,
                              None if along is None else _copies(rate, along), record))
    options.sort(key=lambda option: (option.entry.lanes, option.entry.packing or ""))
    return RatePlan(rate, packets, overhead, tuple(options), records)
